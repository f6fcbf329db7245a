"""What a process and all that it started take, as `/proc` tells."""

import os
from dataclasses import dataclass
from pathlib import Path

_TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
_USER_TIME = 11
"""Place of the field `utime` behind the name in `/proc/PID/stat`; the next three follow it."""


@dataclass(frozen=True)
class Taken:
    """What a tree of processes takes.

    Attributes:
        resident_bytes: sum of the resident memory; what processes share counts for each of them.
        descriptors: open ones.
    """

    processes: int
    resident_bytes: int
    descriptors: int


def taken(process_id: int) -> Taken:
    """Return what the tree of the process takes. One that ends meanwhile takes nothing."""
    processes = resident = descriptors = 0
    for each in (process_id, *descendants(process_id)):
        folder = Path(f"/proc/{each}")
        try:
            status = (folder / "status").read_text()
            open_files = len(list((folder / "fd").iterdir()))
        except OSError:
            continue
        if "VmRSS:" in status:
            processes += 1
            resident += int(status.partition("VmRSS:")[2].split()[0]) * 1024
            descriptors += open_files
    return Taken(processes, resident, descriptors)


def descendants(process_id: int) -> list[int]:
    """Return all processes below this one."""
    try:
        lists = [path.read_text() for path in Path(f"/proc/{process_id}/task").glob("*/children")]
    except OSError:
        return []
    below = [int(child) for each in lists for child in each.split()]
    return [each for child in below for each in (child, *descendants(child))]


def cpu_seconds(process_id: int) -> float:
    """Return the CPU time of the tree, with that of processes which have ended and been reaped."""
    return sum(_cpu_ticks(each) for each in (process_id, *descendants(process_id))) / (
        _TICKS_PER_SECOND
    )


def _cpu_ticks(process_id: int) -> int:
    try:
        fields = Path(f"/proc/{process_id}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0
    return sum(int(field) for field in fields[_USER_TIME : _USER_TIME + 4])

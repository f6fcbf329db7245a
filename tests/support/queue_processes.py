"""Starts, pauses and kills the programs of `queue_programs`, and reads what they recorded."""

import multiprocessing
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from support.eventually import eventually
from support.queue_programs import Options, run


@dataclass(frozen=True)
class Entry:
    """A line of the record. The page is -1 where none is meant."""

    what: str
    job: str
    page: int
    pid: int
    time_ns: int


def entries(record: Path) -> list[Entry]:
    """Return the lines of the record, in the order in which they were written."""
    found = []
    for line in record.read_text().splitlines():
        what, job, *index, pid, time_ns = line.split()
        found.append(Entry(what, job, int(index[0]) if index else -1, int(pid), int(time_ns)))
    return found


# A server that has imported everything forks them: to start one takes milliseconds.
_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(["support.queue_programs"])


class Program:
    """A process of one of the programs: `work`, `submit` or `pause`."""

    def __init__(self, role: str, address: str, record: Path, options: Options) -> None:
        record.touch()
        self._record = record
        self._process = _CONTEXT.Process(target=run, args=(role, address, record, options))
        self._process.start()
        assert self._process.pid is not None
        self.pid: int = self._process.pid

    def wait_open(self) -> "Program":
        """Return once it has opened the queue."""
        eventually(lambda: self.told("open"), bool, 60, "the program has opened the queue")
        return self

    def told(self, what: str) -> list[Entry]:
        """Return what it recorded of this kind."""
        return [
            entry for entry in entries(self._record) if entry.pid == self.pid and entry.what == what
        ]

    def signal(self, number: signal.Signals) -> None:
        """Send a signal, to pause it or to let it go on."""
        os.kill(self.pid, number)

    def kill(self) -> None:
        """Kill it, also when it is paused, and wait until it is gone."""
        self._process.kill()
        self._process.join()

    def ended(self) -> bool:
        """Return whether it is gone; it must not have failed by itself."""
        code = self._process.exitcode
        assert code in {None, 0, -signal.SIGKILL}, f"the program failed with {code}"
        return code is not None


@contextmanager
def programs() -> Iterator[list[Program]]:
    """Yield a list; what is in it at the end is killed."""
    started: list[Program] = []
    try:
        yield started
    finally:
        for program in started:
            program.kill()

"""How many CPUs this process may use, as its affinity and its control group say."""

import math
import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath


def usable_cpus(root: Path = Path("/"), affinity: int | None = None) -> int:
    """Return the number of CPUs, at least 1.

    A quota counts as many whole CPUs as it begins: 1500m are two. `root` is
    where /proc and /sys are found, `affinity` the CPUs that the kernel's
    scheduler gives; by default those of this process.
    """
    given = len(os.sched_getaffinity(0)) if affinity is None else affinity
    return max(1, min([given, *(math.ceil(quota) for quota in _quotas(root))]))


def _quotas(root: Path) -> Iterator[float]:
    """Yield the quotas, in CPUs, of this process's control group and of those above it."""
    try:
        memberships = (root / "proc/self/cgroup").read_text().splitlines()
    except OSError:
        return
    for membership in memberships:
        _, controllers, path = membership.split(":", 2)
        if controllers == "":
            for folder in _with_parents(root / "sys/fs/cgroup", path):
                yield from _quota_of_version_2(folder)
        elif "cpu" in controllers.split(","):
            for folder in _with_parents(root / "sys/fs/cgroup/cpu", path):
                yield from _quota_of_version_1(folder)


def _with_parents(mount: Path, path: str) -> Iterator[Path]:
    """Yield the folder of the group `path` and of every group above it.

    In a container the path is often that of the host, where nothing stands
    below the mount; the mount itself, always the last, is the container's group.
    """
    inner = PurePosixPath(path).relative_to("/")
    yield mount / inner
    for parent in inner.parents:
        yield mount / parent


def _quota_of_version_2(folder: Path) -> Iterator[float]:
    try:
        quota, period = (folder / "cpu.max").read_text().split()
    except OSError:
        return
    if quota != "max":
        yield int(quota) / int(period)


def _quota_of_version_1(folder: Path) -> Iterator[float]:
    try:
        quota = int((folder / "cpu.cfs_quota_us").read_text())
        period = int((folder / "cpu.cfs_period_us").read_text())
    except OSError:
        return
    if quota > 0:
        yield quota / period

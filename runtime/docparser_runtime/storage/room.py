"""How much room a directory has: known without a walk through it at each write."""

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_RESERVE_DIVISOR: Final = 20
"""Without a quota, this part of the disk stays free."""
_RECOUNT_SECONDS: Final = 30.0
_RECOUNT_BEFORE_REFUSAL_SECONDS: Final = 1.0
_SHARE_OF_COUNTING: Final = 50
"""Counting may take this part of the time at most, whatever the directory holds."""


class NoRoom(Exception):  # noqa: N818 (a finding)
    """So many bytes cannot be written; the message says why."""


@dataclass(frozen=True)
class Disk:
    """Bytes of a file system: all, and those that we may still write."""

    total: int
    free: int


def disk_of(path: Path) -> Disk:
    """Return the size of the file system that holds `path`."""
    found = os.statvfs(path)
    return Disk(found.f_blocks * found.f_frsize, found.f_bavail * found.f_frsize)


class Room:
    """Counts what lies below a directory and what is being written there. Safe in threads.

    Other processes may write there too, so it counts anew now and then, and before it refuses.
    Until then it may be wrong by what they did; of its own it counts too much, never too little.
    """

    def __init__(
        self,
        root: Path,
        most_bytes: int | None,
        disk: Callable[[Path], Disk] = disk_of,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._root = root
        self._most_bytes = most_bytes
        self._disk = disk
        self._clock = clock
        self._lock = threading.Lock()
        self._counting = threading.Lock()
        self._used = 0
        self._pending = 0
        self._added_meanwhile = 0
        self._counted_at = 0.0
        self._count_seconds = 0.0
        if most_bytes is not None:
            self._count()

    @property
    def used_bytes(self) -> int:
        """What was written, as far as it is known."""
        with self._lock:
            return self._used

    def check(self, size: int) -> None:
        """Return when `size` bytes can be written.

        Raises:
            NoRoom: they cannot.
        """
        with self.reserved(size):
            pass

    @contextmanager
    def reserved(self, size: int) -> Iterator[Callable[[int], None]]:
        """Keep `size` bytes for the body, which may write as many. Raises as `check` does.

        Yields what the body calls once it has written: with how many bytes more there are now.
        """
        self._count_when_older_than(_RECOUNT_SECONDS)
        try:
            self._reserve(size)
        except NoRoom:
            if not self._count_when_older_than(_RECOUNT_BEFORE_REFUSAL_SECONDS):
                raise
            self._reserve(size)
        left = [size]

        def written(more: int) -> None:
            self._add(more, left.pop())

        try:
            yield written
        finally:
            self._add(0, sum(left))

    def remove(self, size: int) -> None:
        """Note that so many bytes are gone."""
        self._add(-size, 0)

    def _add(self, size: int, reserved: int) -> None:
        # At once, or what has just been written would count twice.
        with self._lock:
            self._used = max(self._used + size, 0)
            self._pending -= reserved
            self._added_meanwhile += max(size, 0)

    def _reserve(self, size: int) -> None:
        disk = self._disk(self._root)
        with self._lock:
            wanted = self._pending + size
            if self._most_bytes is None:
                if disk.free - wanted < disk.total // _RESERVE_DIVISOR:
                    raise NoRoom("less than a twentieth of the disk would stay free")
            elif self._used + wanted > self._most_bytes:
                raise NoRoom(f"tasks.maxStoreBytes is reached: {self._used} bytes are used")
            elif wanted > disk.free:
                raise NoRoom("the disk is full, before tasks.maxStoreBytes is reached")
            self._pending += size

    def _count_when_older_than(self, seconds: float) -> bool:
        """Count if that was not done for so long and nobody does it now; return whether it was."""
        if self._most_bytes is None:
            return False
        due = self._counted_at + max(seconds, self._count_seconds * _SHARE_OF_COUNTING)
        if self._clock() < due or not self._counting.acquire(blocking=False):
            return False
        try:
            self._count()
        finally:
            self._counting.release()
        return True

    def _count(self) -> None:
        began = self._clock()
        with self._lock:
            self._added_meanwhile = 0
        found = _bytes_below(self._root)
        with self._lock:
            # The walk may or may not have seen what was written since it began.
            self._used = found + self._added_meanwhile
            self._counted_at = self._clock()
            self._count_seconds = self._counted_at - began


def _bytes_below(root: Path) -> int:
    total = 0
    # Directories that vanish under the walk hold nothing any more.
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in files:
            with suppress(FileNotFoundError):
                total += os.lstat(os.path.join(folder, name)).st_size  # noqa: PTH118 (hot)
    return total

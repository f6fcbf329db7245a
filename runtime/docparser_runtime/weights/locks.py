"""A lock between pods: held through a file, given back by the kernel when its process dies.

POSIX record locks are taken since they work on NFS too. They belong to a process:
whoever closes any descriptor of the file gives the lock back.
"""

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

_PAUSE_SECONDS: Final = 0.2


@contextmanager
def held(path: Path, waiting: Callable[[], None]) -> Iterator[None]:
    """Hold the lock of file `path`; while another process has it, call `waiting` now and then.

    Raises:
        OSError: the file cannot be made.
    """
    descriptor = _tried(path)
    while descriptor is None:
        waiting()
        time.sleep(_PAUSE_SECONDS)
        descriptor = _tried(path)
    try:
        yield
    finally:
        os.close(descriptor)


@contextmanager
def held_if_free(path: Path) -> Iterator[bool]:
    """Hold the lock of file `path` unless another process has it; yield whether it is held."""
    descriptor = _tried(path)
    try:
        yield descriptor is not None
    finally:
        if descriptor is not None:
            os.close(descriptor)


def _tried(path: Path) -> int | None:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # Whoever prunes removes the file while it holds the lock. Then this is a lock on nothing.
        if os.fstat(descriptor).st_ino == path.stat().st_ino:
            return descriptor
    except (BlockingIOError, PermissionError, FileNotFoundError):
        pass
    except BaseException:
        os.close(descriptor)
        raise
    os.close(descriptor)
    return None

"""One at a time: two terminals that build or start together take turns."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from localcluster.console import say


@contextmanager
def exclusive(directory: Path, work: str) -> Iterator[None]:
    """Hold the folder's lock; the kernel drops it when the process ends, however it ends."""
    directory.mkdir(parents=True, exist_ok=True)
    # The folder itself is locked: no lock file is left behind or deleted under a waiter.
    handle = os.open(directory, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say(f"another terminal is at it, waiting for its end: {work}")
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)

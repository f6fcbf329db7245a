"""Digests of files."""

import hashlib
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Final

_CHUNK_BYTES: Final = 4 * 1024**2


def ignore(_: int) -> None:
    """Count nothing."""


class Stopped(Exception):  # noqa: N818 (somebody wanted it)
    """Nobody wants the digest any more."""


class Counting:
    """Tells `count` the bytes that threads read, until they are to stop."""

    def __init__(self, count: Callable[[int], None] = ignore) -> None:
        self._count = count
        self._stopped = threading.Event()

    def stop(self) -> None:
        """Let the threads end at their next chunk, however large their files are."""
        self._stopped.set()

    def __call__(self, size: int) -> None:
        """Count `size` bytes more.

        Raises:
            Stopped: no more should be read.
        """
        if self._stopped.is_set():
            raise Stopped
        self._count(size)


def sha256_of(path: Path | str, count: Callable[[int], None] = ignore) -> str:
    """Return the SHA-256 of the file, in hexadecimal digits; tell `count` the bytes read."""
    # hashlib lets other threads run while it works on a large chunk.
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_SEQUENTIAL)
        return _digest(descriptor, count)
    finally:
        os.close(descriptor)


def _digest(descriptor: int, count: Callable[[int], None]) -> str:
    digest = hashlib.sha256()
    buffer = bytearray(_CHUNK_BYTES)
    view = memoryview(buffer)
    while size := os.readv(descriptor, [buffer]):
        digest.update(view[:size])
        count(size)
    return digest.hexdigest()

"""Digests of files."""

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

_CHUNK_BYTES: Final = 4 * 1024**2


def ignore(_: int) -> None:
    """Count nothing."""


def sha256_of(path: Path, count: Callable[[int], None] = ignore) -> str:
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

"""Files that are being written. Each is locked by its writer, so that left-over ones are known."""

import fcntl
import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

FOLDER: Final = ".partial"
"""Beside the objects, hence on the same file system; no object's name can begin like it."""


class PartialFile:
    """A file that nobody sees until it is renamed."""

    def __init__(self, path: str, descriptor: int) -> None:
        self.path = path
        self._descriptor = descriptor

    def write(self, content: bytes | memoryview) -> None:
        """Append all of `content`."""
        view = memoryview(content)
        while view:
            view = view[os.write(self._descriptor, view) :]

    def sync(self) -> None:
        """Return once the content is on disk."""
        os.fsync(self._descriptor)


class PartialFiles:
    """The files that are being written below a directory, by this process and by others."""

    def __init__(self, root: Path) -> None:
        folder = root / FOLDER
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._folder = str(folder)

    @contextmanager
    def new(self) -> Iterator[PartialFile]:
        """Yield a new file; remove it at the end unless it has been renamed."""
        path, descriptor = self._locked()
        try:
            yield PartialFile(path, descriptor)
        finally:
            os.close(descriptor)
            with suppress(FileNotFoundError):
                os.unlink(path)

    def _locked(self) -> tuple[str, int]:
        while True:
            path = f"{self._folder}/{uuid.uuid4().hex}"
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            if os.fstat(descriptor).st_nlink:
                return path, descriptor
            # A sweep came between creation and lock.
            os.close(descriptor)

    def sweep(self) -> int:
        """Remove the files whose writers are dead; return how many."""
        return sum(_is_removed(f"{self._folder}/{name}") for name in os.listdir(self._folder))


def _is_removed(path: str) -> bool:
    """Remove the file unless somebody writes it; return whether it was removed."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        with suppress(BlockingIOError):
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            with suppress(FileNotFoundError):
                os.unlink(path)
            return True
        return False
    finally:
        os.close(descriptor)

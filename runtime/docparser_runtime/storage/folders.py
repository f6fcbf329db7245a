"""Folders that hold objects: made, written to disk, emptied.

Paths are plain strings here and wherever each object has one of its own: `pathlib` interns every
part of a path, and the interpreter's table of such strings grows with names that never come again.
"""

import os
from contextlib import suppress


def folders_with(folder: str, root: str) -> None:
    """Make `folder` and those between it and `root`, where they are missing.

    Raises:
        FileNotFoundError: one of them was removed at the same time.
    """
    if folder != root and not os.path.isdir(folder):
        folders_with(os.path.dirname(folder), root)
        with suppress(FileExistsError):
            os.mkdir(folder, mode=0o700)


def sync_folders(folder: str, root: str) -> None:
    """Return once the entries of `folder`, and of all folders up to `root`, are on disk.

    Also of those that others made: they may not have come to it yet.
    """
    while True:
        # A folder that is gone was deleted with what lay in it.
        with suppress(FileNotFoundError):
            _sync(folder)
        if folder == root:
            return
        folder = os.path.dirname(folder)


def removed_bytes(folder: str) -> int:
    """Remove `folder` and all below it; return the size of its files. It may not exist."""
    total = 0
    for place, folders, files in os.walk(folder, topdown=False):
        for name in files:
            path = os.path.join(place, name)
            with suppress(FileNotFoundError):
                size = os.lstat(path).st_size
                os.unlink(path)
                total += size
        for name in folders:
            _remove_if_empty(os.path.join(place, name))
    _remove_if_empty(folder)
    return total


def remove_empty(folder: str, root: str) -> None:
    """Remove `folder` and those between it and `root`, as far as they are empty."""
    while folder != root and _remove_if_empty(folder):
        folder = os.path.dirname(folder)


def _remove_if_empty(folder: str) -> bool:
    """Remove the folder; return whether it is gone. Whoever fills it meanwhile keeps it."""
    try:
        os.rmdir(folder)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True


def _sync(folder: str) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)

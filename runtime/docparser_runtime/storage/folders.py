"""Folders that hold objects: made, written to disk, emptied."""

import os
from contextlib import suppress
from pathlib import Path


def folders_with(folder: Path, root: Path) -> None:
    """Make `folder` and those between it and `root`, where they are missing.

    Raises:
        FileNotFoundError: one of them was removed at the same time.
    """
    if folder != root and not folder.is_dir():
        folders_with(folder.parent, root)
        with suppress(FileExistsError):
            folder.mkdir(mode=0o700)


def sync_folders(folder: Path, root: Path) -> None:
    """Return once the entries of `folder`, and of all folders up to `root`, are on disk.

    Also of those that others made: they may not have come to it yet.
    """
    for one in [folder, *folder.parents]:
        # A folder that is gone was deleted with what lay in it.
        with suppress(FileNotFoundError):
            _sync(one)
        if one == root:
            return


def removed_bytes(folder: Path) -> int:
    """Remove `folder` and all below it; return the size of its files. It may not exist."""
    total = 0
    for place, folders, files in os.walk(folder, topdown=False):
        for name in files:
            path = Path(place, name)
            with suppress(FileNotFoundError):
                size = path.lstat().st_size
                path.unlink()
                total += size
        for name in folders:
            _remove_if_empty(Path(place, name))
    _remove_if_empty(folder)
    return total


def remove_empty(folder: Path, root: Path) -> None:
    """Remove `folder` and those between it and `root`, as far as they are empty."""
    while folder != root and _remove_if_empty(folder):
        folder = folder.parent


def _remove_if_empty(folder: Path) -> bool:
    """Remove the folder; return whether it is gone. Whoever fills it meanwhile keeps it."""
    try:
        folder.rmdir()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)

"""Removes versions of weights that nobody needs any more from a cache."""

import os
import re
import shutil
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from docparser_runtime.logs import Log
from docparser_runtime.weights import locks
from docparser_runtime.weights.errors import storage
from docparser_runtime.weights.marker import MARKER
from docparser_runtime.weights.places import Places

_VERSION: Final = r"(?P<version>[A-Za-z0-9][A-Za-z0-9._-]*-[0-9a-f]{16})"
_VERSION_NAME: Final = re.compile(_VERSION)
_SCRATCH_NAME: Final = re.compile(rf"\.{_VERSION}\.(partial|untrusted|lock)")


@dataclass(frozen=True)
class Pruned:
    """What was removed.

    Attributes:
        versions: names of the directories, finished or not.
        size: bytes that are free now.
    """

    versions: tuple[str, ...]
    size: int


@dataclass(frozen=True)
class Pruning:
    """What may be removed.

    Attributes:
        keep: versions that may not, such as `v1-0123456789abcdef`.
        minimum_age_seconds: time since the last change of anything in a directory.
        now: seconds since 1970.
        log: where it is told.
    """

    keep: Collection[str]
    minimum_age_seconds: float
    now: float
    log: Log

    def prune(self, places: Places) -> Pruned:
        """Remove all other versions, and what unfinished fetches left.

        A version whose lock is held is being fetched and stays, and so does what is too young:
        its pod may not have told anybody of it yet.

        Raises:
            WeightsError: the cache cannot be written to.
        """
        removed, size = [], 0
        with storage():
            for version in sorted(_versions(places.cache) - set(self.keep)):
                freed = self._removed(places, version)
                if freed is not None:
                    removed.append(version)
                    size += freed
        return Pruned(tuple(removed), size)

    def _removed(self, places: Places, version: str) -> int | None:
        """Return the bytes that removing `version` freed; None if it stays."""
        if not self._is_old(places, version):
            return None
        lock = places.lock(version)
        with locks.held_if_free(lock) as is_mine:
            # Looked at again: a fetch may have ended in between.
            if not is_mine or not self._is_old(places, version):
                self.log.info("weights_version_in_use", directory=version)
                return None
            freed = 0
            for path in _directories(places, version):
                freed += sum(file.lstat().st_size for file in _files(path))
                # First: half a directory must not seem whole.
                (path / MARKER).unlink(missing_ok=True)
                shutil.rmtree(path)
            lock.unlink()
        self.log.info("weights_version_removed", directory=version, bytes=freed)
        return freed

    def _is_old(self, places: Places, version: str) -> bool:
        paths = _directories(places, version) or [places.lock(version)]
        changes = [
            path.lstat().st_mtime
            for directory in paths
            if directory.exists()
            for path in (directory, *_files(directory))
        ]
        return self.now - max(changes, default=self.now) >= self.minimum_age_seconds


def _versions(cache: Path) -> set[str]:
    """Return the versions that have a directory, a partial one or a lock."""
    found = (
        (_VERSION_NAME if path.is_dir() else _SCRATCH_NAME).fullmatch(path.name)
        or _SCRATCH_NAME.fullmatch(path.name)
        for path in cache.iterdir()
        if not path.is_symlink()
    )
    return {match["version"] for match in found if match}


def _directories(places: Places, version: str) -> list[Path]:
    candidates = (
        places.cache / version,
        places.partial(version),
        places.untrusted(version),
    )
    return [path for path in candidates if path.is_dir() and not path.is_symlink()]


def _files(directory: Path) -> Iterator[Path]:
    for folder, _, names in os.walk(directory):
        for name in names:
            yield Path(folder, name)

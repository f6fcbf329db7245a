"""Gets weights ready in a cache that pods share: fetched once, resumed, verified, then marked."""

import asyncio
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from docparser_api.names import WEIGHTS_MANIFEST_FILE
from docparser_api.weights import Weights

from docparser_runtime.logs import Log
from docparser_runtime.weights import locks, manifest, marker, space
from docparser_runtime.weights.credentials import Credentials
from docparser_runtime.weights.download import RANGE_BYTES, Job, download
from docparser_runtime.weights.errors import storage
from docparser_runtime.weights.journal import JOURNAL, Journal
from docparser_runtime.weights.manifest import Manifest
from docparser_runtime.weights.marker import Marker
from docparser_runtime.weights.places import Places
from docparser_runtime.weights.retrying import Retrying, patiently
from docparser_runtime.weights.sources.base import Source
from docparser_runtime.weights.sources.selection import open_source
from docparser_runtime.weights.verification import Entry

_WAITING_SECONDS: Final = 30.0
"""Time between two log lines of a pod that waits for another."""


@dataclass(frozen=True)
class Fetching:
    """How weights are fetched.

    Attributes:
        log: where it is told.
        credentials: for the source.
        retrying: patience with the source.
        range_bytes: size of the pieces.
        free_bytes: tells the room in a directory.
    """

    log: Log
    credentials: Credentials
    retrying: Retrying = field(default_factory=Retrying)
    range_bytes: int = RANGE_BYTES
    free_bytes: Callable[[Path], int] = space.free_bytes


@dataclass(frozen=True)
class Outcome:
    """Weights that are ready.

    Attributes:
        marker: what was verified.
        reused: whether nothing had to be fetched or read.
    """

    marker: Marker
    reused: bool


def fetch(weights: Weights, places: Places, how: Fetching) -> Outcome:
    """Return once the directory of `weights` in the cache is complete, verified and marked.

    Raises:
        WeightsError: it cannot be.
        OSError: the cache cannot be written to.
    """
    target = places.root(weights)
    with _alone(places, weights, how.log):
        found = marker.valid(target, target, weights.manifest.sha256)
        if isinstance(found, Marker):
            return Outcome(found, reused=True)
        with storage():
            _set_aside(places, weights.directory, found, how.log)
        entries = asyncio.run(_complete(weights, places, how))
        with storage():
            partial = places.partial(weights.directory)
            _sync_all(partial)
            partial.rename(target)
            # Not before: a partial directory without journal is thrown away.
            (target / JOURNAL).unlink()
            marker.sync_directory(places.cache)
        # Last: what bears the marker is whole.
        return Outcome(marker.write(target, weights.manifest.sha256, entries), reused=False)


@contextmanager
def _alone(places: Places, weights: Weights, log: Log) -> Iterator[None]:
    """Keep other pods away from this version of the weights."""
    told_at = 0.0

    def waiting() -> None:
        nonlocal told_at
        if time.monotonic() - told_at >= _WAITING_SECONDS:
            told_at = time.monotonic()
            log.info("weights_waiting_for_another_pod", directory=weights.directory)

    with locks.held(places.lock(weights.directory), waiting):
        yield


def _set_aside(places: Places, directory: str, reason: str, log: Log) -> None:
    """Move a directory that nobody vouches for out of the engines' sight."""
    target = places.cache / directory
    if not target.exists() and not target.is_symlink():
        return
    log.warning("weights_directory_not_trusted", directory=directory, reason=reason)
    aside = places.untrusted(directory)
    _remove(aside)
    target.rename(aside)


async def _complete(weights: Weights, places: Places, how: Fetching) -> tuple[Entry, ...]:
    source = open_source(weights, how.credentials)
    try:
        content = await _manifest_content(weights, places, source, how.retrying)
        pinned = manifest.parse(content, weights.manifest.sha256)
        partial = _prepared(weights, places)
        journal = Journal(partial, weights.manifest.sha256)
        try:
            with storage():
                _reuse(places.untrusted(weights.directory), partial, pinned, journal)
            _refuse_if_full(weights, pinned, journal, how.free_bytes(partial))
            how.log.info(
                "weights_fetch_started",
                directory=weights.directory,
                bytes_total=pinned.size,
                bytes_missing=sum(journal.missing_bytes(file) for file in pinned.files),
            )
            with storage(WEIGHTS_MANIFEST_FILE):
                marker.replace_file(partial / WEIGHTS_MANIFEST_FILE, content)
            return await download(
                Job(
                    source=source,
                    directory=partial,
                    journal=journal,
                    manifest=pinned,
                    connections=weights.connections,
                    range_bytes=how.range_bytes,
                    retrying=how.retrying,
                    log=how.log,
                )
            )
        finally:
            journal.close()
    finally:
        await source.close()


async def _manifest_content(
    weights: Weights, places: Places, source: Source, retrying: Retrying
) -> bytes:
    if weights.manifest.config_map_key_ref is not None:
        return manifest.read(places.manifest)
    return await patiently(
        lambda: source.read_whole(WEIGHTS_MANIFEST_FILE, manifest.MOST_BYTES), retrying
    )


def _prepared(weights: Weights, places: Places) -> Path:
    """Return the directory for unfinished files, emptied if it belongs to another manifest."""
    partial = places.partial(weights.directory)
    with storage():
        if not Journal.belongs(partial, weights.manifest.sha256):
            _remove(partial)
        partial.mkdir(exist_ok=True)
    return partial


def _reuse(aside: Path, partial: Path, pinned: Manifest, journal: Journal) -> None:
    """Take over files of the right size. They are read and verified like fetched ones."""
    for file in pinned.files:
        old, new = aside / file.path, partial / file.path
        if not old.is_file() or old.is_symlink() or old.stat().st_size != file.size:
            continue
        if journal.missing_bytes(file):
            new.parent.mkdir(parents=True, exist_ok=True)
            old.replace(new)
            journal.forget(file.path)
            journal.add(file.path, 0, file.size)
    _remove(aside)


def _refuse_if_full(weights: Weights, pinned: Manifest, journal: Journal, free: int) -> None:
    cache = weights.cache
    if cache.size_limit is not None and not (cache.persistent_volume_claim or cache.host_path):
        space.refuse_if_over_limit(pinned.size, cache.size_limit)
    space.refuse_if_full(sum(journal.missing_bytes(file) for file in pinned.files), free)


def _sync_all(directory: Path) -> None:
    for folder in [directory, *(path for path in directory.rglob("*") if path.is_dir())]:
        marker.sync_directory(folder)


def _remove(path: Path) -> None:
    """Remove a file, a link or a tree; what is not there is removed already."""
    if path.is_symlink() or path.is_file():
        path.unlink()
    elif path.exists():
        shutil.rmtree(path)

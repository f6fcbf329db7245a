"""Fetches the files of a manifest, many pieces at a time, and verifies each as soon as it is whole.

Memory: one chunk for each connection. A piece is streamed to its place in the file.
"""

import asyncio
import os
from collections.abc import Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

from docparser_runtime.engine.cpus import usable_cpus
from docparser_runtime.logs import Log
from docparser_runtime.weights.digests import Counting
from docparser_runtime.weights.errors import Code, WeightsError, storage
from docparser_runtime.weights.journal import Journal
from docparser_runtime.weights.manifest import File, Manifest
from docparser_runtime.weights.pieces import Piece
from docparser_runtime.weights.progress import Progress
from docparser_runtime.weights.retrying import Retrying
from docparser_runtime.weights.sources.base import RangesIgnored, Source
from docparser_runtime.weights.verification import Entry, verified_file

RANGE_BYTES: Final = 32 * 1024**2
"""Size of a piece: what a kill costs at most for each connection."""
T = TypeVar("T")


@dataclass(frozen=True)
class Job:
    """What to fetch, from where, to where.

    Attributes:
        source: where the files lie.
        directory: where they come to lie.
        journal: which pieces are there already.
        manifest: what they must be.
        connections: pieces that are fetched at the same time.
        range_bytes: size of a piece.
        retrying: patience with the source.
        log: where progress and faults are told.
    """

    source: Source
    directory: Path
    journal: Journal
    manifest: Manifest
    connections: int
    range_bytes: int
    retrying: Retrying
    log: Log


async def download(job: Job) -> tuple[Entry, ...]:
    """Return the entries of all files, fetched and verified.

    Raises:
        WeightsError: the first that cannot be had. What is whole stays for the next attempt.
    """
    hashing = ThreadPoolExecutor(usable_cpus(), thread_name_prefix="digest")
    counting = Counting()
    try:
        files = _Download(job, hashing, counting)
        return tuple(await together([files.fetched(file) for file in job.manifest.files]))
    finally:
        # The process could not end before a thread that reads a large file.
        counting.stop()
        hashing.shutdown(cancel_futures=True)


async def together(work: Sequence[Coroutine[Any, Any, T]]) -> list[T]:
    """Return all results. The first failure ends the rest before it is raised."""
    tasks = [asyncio.ensure_future(one) for one in work]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


class _Download:
    def __init__(self, job: Job, hashing: ThreadPoolExecutor, counting: Counting) -> None:
        self._job = job
        self._hashing = hashing
        self._counting = counting
        self._places = asyncio.Semaphore(job.connections)
        missing = sum(job.journal.missing_bytes(file) for file in job.manifest.files)
        self._progress = Progress(job.log, "weights_fetching", missing)

    async def fetched(self, file: File) -> Entry:
        """Return the entry of `file` once it is on disk and right."""
        await self._complete(file)
        try:
            return await self._verified(file)
        except WeightsError as error:
            if error.code is not Code.DIGEST_MISMATCH:
                raise
            self._job.log.warning("weights_file_wrong", file=file.path, reason=error.message)
        # Perhaps a piece from before a crash is stale: once more, from nothing.
        self._discard(file)
        await self._complete(file)
        try:
            return await self._verified(file)
        except WeightsError:
            self._discard(file)
            raise

    async def _verified(self, file: File) -> Entry:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(
            self._hashing, _synced_and_verified, self._job.directory, file, self._counting
        )

    async def _complete(self, file: File) -> None:
        """Fetch what is missing of `file`."""
        job = self._job
        with storage(file.path):
            _prepare(job.directory / file.path, file.size)
        starts = range(0, file.size, job.range_bytes)
        pieces = [(start, min(start + job.range_bytes, file.size)) for start in starts]
        missing = [piece for piece in pieces if not job.journal.has(file.path, *piece)]
        try:
            await together([self._piece(file, start, end) for start, end in missing])
        except RangesIgnored:
            job.log.warning("weights_ranges_ignored", file=file.path)
            job.journal.forget(file.path)
            await self._piece(file, 0, file.size)

    async def _piece(self, file: File, start: int, end: int) -> None:
        job = self._job
        async with self._places:
            piece = Piece(job.source, job.directory, file, start, end)
            await piece.fetch(job.retrying, self._progress.add)
        job.journal.add(file.path, start, end)

    def _discard(self, file: File) -> None:
        with storage(file.path):
            (self._job.directory / file.path).unlink(missing_ok=True)
        self._job.journal.forget(file.path)


def _prepare(path: Path, size: int) -> None:
    """Let there be a file of the final size, whose pieces can come in any order."""
    path.parent.mkdir(parents=True, exist_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(path, flags, 0o644)
    try:
        os.ftruncate(descriptor, size)
    finally:
        os.close(descriptor)


def _synced_and_verified(directory: Path, file: File, counting: Counting) -> Entry:
    # Synced first: some network file systems set the time of a change only then.
    with storage(file.path):
        descriptor = os.open(directory / file.path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    return verified_file(directory, file, counting)

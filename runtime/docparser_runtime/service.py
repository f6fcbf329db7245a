"""Reads documents: one page after the other, in a bounded pool of threads.

A thread that runs the engine cannot be interrupted. Each document is therefore read by a task of
its own that holds the gate's place, and that ends between pages when it is cancelled: whoever asked
gets an answer or goes away at once, the place is free when the thread is, and never more than
`max_concurrency` pages are being read.
"""

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, replace

from docparser_api.runtime import RuntimeConfig

from docparser_runtime.documents.base import DocumentReader
from docparser_runtime.engine.base import Engine, PageImage, PageResult, ParseOptions
from docparser_runtime.errors import (
    DocParserError,
    EngineFailed,
    RequestTimeout,
    TooManyPages,
    UnsupportedParameter,
)
from docparser_runtime.gate import Gate, Place
from docparser_runtime.logs import Log
from docparser_runtime.metrics import Metrics
from docparser_runtime.uploads import Upload


@dataclass(frozen=True)
class Page:
    """A page that was read; its pixels are gone."""

    width: int
    height: int
    result: PageResult
    seconds: float


@dataclass(frozen=True)
class Reading:
    """A document that was read."""

    pages: tuple[Page, ...]
    repaired: bool
    queue_seconds: float
    parse_seconds: float


@dataclass(frozen=True)
class Tools:
    """What the service works with."""

    reader: DocumentReader
    engine: Engine
    gate: Gate
    metrics: Metrics
    log: Log
    clock: Callable[[], float] = time.monotonic


_Pages = tuple[tuple[Page, ...], bool]
"""Pages of a document, and whether it was repaired."""
_Job = asyncio.Task[_Pages]


class ParseService:
    """Turns uploads into text."""

    def __init__(self, config: RuntimeConfig, tools: Tools) -> None:
        self._config = config
        self._tools = tools
        self._jobs: set[_Job] = set()
        self._threads = ThreadPoolExecutor(config.max_concurrency, "engine")

    async def parse(self, upload: Upload) -> Reading:
        """Return what the upload says.

        Raises:
            DocParserError: one of the typed errors.
        """
        options = self._parse_options(upload)
        clock = self._tools.clock
        came = clock()
        place = await self._tools.gate.enter()
        began = clock()
        self._tools.metrics.queue_seconds.observe(began - came)
        pages, repaired = await self._within_time(self._start(upload, options, place))
        return Reading(pages, repaired, began - came, clock() - began)

    async def close(self, patience_seconds: float = 0) -> bool:
        """Wait for work that nobody waits for any more; return whether all of it ended."""
        left: set[_Job] = set()
        if self._jobs:
            _, left = await asyncio.wait(self._jobs, timeout=patience_seconds)
        self._threads.shutdown(wait=False, cancel_futures=True)
        return not left

    def _parse_options(self, upload: Upload) -> ParseOptions:
        wanted = upload.options.max_new_tokens
        if wanted is not None and not self._tools.engine.generates:
            raise UnsupportedParameter(
                "max_new_tokens: this engine does not generate, leave it out."
            )
        return ParseOptions(wanted)

    def _start(self, upload: Upload, options: ParseOptions, place: Place) -> _Job:
        job = asyncio.create_task(self._read(upload, options))
        self._jobs.add(job)
        job.add_done_callback(lambda job: self._end(job, place))
        return job

    def _end(self, job: _Job, place: Place) -> None:
        self._jobs.discard(job)
        place.release()
        if not job.cancelled():
            job.exception()  # nobody may be left to ask for it

    async def _within_time(self, job: _Job) -> _Pages:
        seconds = self._config.request_timeout_seconds
        try:
            done, _ = await asyncio.wait({job}, timeout=seconds)
        finally:
            job.cancel()
        if not done:
            raise RequestTimeout(f"Reading the document took longer than {seconds} seconds.")
        return job.result()

    async def _read(self, upload: Upload, options: ParseOptions) -> _Pages:
        self._check_count(len(upload.documents))
        pages: list[Page] = []
        repaired = False
        for content in upload.documents:
            async with self._tools.reader.open(content, upload.options.password) as document:
                self._check_count(len(pages) + document.info.page_count)
                repaired |= document.info.repaired
                for index in range(document.info.page_count):
                    image = replace(await document.page(index), index=len(pages))
                    pages.append(await self._read_page(image, options))
        self._tools.metrics.repaired.inc(repaired)
        return tuple(pages), repaired

    def _check_count(self, count: int) -> None:
        if count > self._config.max_pages:
            raise TooManyPages(f"The document has more than {self._config.max_pages} pages.")

    async def _read_page(self, image: PageImage, options: ParseOptions) -> Page:
        began = self._tools.clock()
        running = asyncio.get_running_loop().run_in_executor(
            self._threads, copy_context().run, self._engine_page, image, options
        )
        result = await _to_the_end(running)
        seconds = self._tools.clock() - began
        metrics = self._tools.metrics
        metrics.pages.inc()
        metrics.truncated.inc(result.truncated)
        metrics.repetition.inc(result.repetition)
        metrics.page_seconds.observe(seconds)
        metrics.vision_tokens.inc(result.vision_tokens)
        return Page(image.width, image.height, result, seconds)

    def _engine_page(self, image: PageImage, options: ParseOptions) -> PageResult:
        try:
            return self._tools.engine.parse(image, options)
        except DocParserError:
            raise
        except BaseException:  # SystemExit would stop the event loop
            self._tools.log.exception("engine_failed", page=image.index)
            raise EngineFailed(f"The engine failed on page {image.index}.") from None


async def _to_the_end(future: asyncio.Future[PageResult]) -> PageResult:
    """Return the result of `future`; when cancelled, end no sooner than `future` does."""
    try:
        return await asyncio.shield(future)
    except asyncio.CancelledError:
        while not future.done():
            try:
                await asyncio.wait({future})
            except asyncio.CancelledError:
                continue
        raise

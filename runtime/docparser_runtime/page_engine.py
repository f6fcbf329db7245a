"""Runs the engine in a bounded pool of threads, page by page, and counts what it does.

A thread that runs the engine cannot be interrupted, but an engine that generates asks whether its
page is still wanted. Whoever waits for a page and is cancelled ends no sooner than the thread does,
so that never more than `max_concurrency` pages are being read.
"""

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, replace

from docparser_runtime.drafts import NOBODY, Audience
from docparser_runtime.engine.base import Engine, PageImage, PageResult, ParseOptions
from docparser_runtime.engine.listening import Unwanted
from docparser_runtime.engine.tiers import highest
from docparser_runtime.engine.traits import Traits
from docparser_runtime.errors import DocParserError, EngineFailed
from docparser_runtime.logs import Log
from docparser_runtime.metrics import Metrics
from docparser_runtime.tracing import spans


@dataclass(frozen=True)
class Page:
    """A page that was read; its pixels are gone."""

    index: int
    width: int
    height: int
    result: PageResult
    seconds: float


class _Waiting:
    """Whoever waits for one page, until they leave."""

    def __init__(self, index: int, audience: Audience) -> None:
        self._index = index
        self._audience = audience
        self._is_there = True

    def is_wanted(self) -> bool:
        return self._is_there

    def wrote(self, text: str) -> None:
        if self._is_there:
            self._audience.wrote(self._index, text)

    def began_anew(self) -> None:
        if self._is_there:
            self._audience.began_anew(self._index)

    def leave(self) -> None:
        self._is_there = False


class PageEngine:
    """Reads pages for many tasks at once."""

    def __init__(
        self,
        engine: Engine,
        max_concurrency: int,
        metrics: Metrics,
        log: Log,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._engine = engine
        self._metrics = metrics
        self._log = log
        self._clock = clock
        self._threads = ThreadPoolExecutor(max_concurrency, "engine")

    @property
    def traits(self) -> Traits:
        """What requests may ask of the engine."""
        return Traits(self._engine.generates, self._engine.tiers)

    async def read(
        self, image: PageImage, options: ParseOptions, audience: Audience = NOBODY
    ) -> Page:
        """Return what stands on the page; `audience` is told of its text as it is written.

        Raises:
            DocParserError: the engine failed.
        """
        if self._engine.tiers:
            options = replace(options, at_most=highest(self._engine.tiers, options.at_most))
        with spans.step("engine page", **{spans.PAGE: image.index}):
            waiting = _Waiting(image.index, audience)
            running = asyncio.get_running_loop().run_in_executor(
                self._threads, copy_context().run, self._timed, image, options, waiting
            )
            result, seconds = await _to_the_end(running, waiting)
            spans.note({"docparser.tokens": result.vision_tokens})
        self._metrics.pages.add(result, seconds)
        return Page(image.index, image.width, image.height, result, seconds)

    def close(self) -> None:
        """Start nothing more. Threads that run go on until their page has been read."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _timed(
        self, image: PageImage, options: ParseOptions, waiting: _Waiting
    ) -> tuple[PageResult, float]:
        began = self._clock()
        if not waiting.is_wanted():
            raise Unwanted
        try:
            return self._engine.parse(image, options, waiting), self._clock() - began
        except (DocParserError, Unwanted):
            raise
        except BaseException:  # noqa: BLE001 (SystemExit would stop the event loop)
            self._log.exception("engine_failed", page=image.index)
            raise EngineFailed(f"The engine failed on page {image.index}.") from None


async def _to_the_end(
    future: "asyncio.Future[tuple[PageResult, float]]", waiting: _Waiting
) -> tuple[PageResult, float]:
    """Return the result of `future`; leave when cancelled, but end no sooner than `future` does."""
    try:
        return await asyncio.shield(future)
    except asyncio.CancelledError:
        waiting.leave()
        while not future.done():
            try:
                await asyncio.wait({future})
            except asyncio.CancelledError:
                continue
        if not future.cancelled():
            future.exception()  # looked at, so that nobody calls it lost
        raise

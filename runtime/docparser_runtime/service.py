"""Reads documents for clients that wait: a place at the gate, a time limit, one event at a time.

Each document is read by a task of its own that holds the gate's place, and that ends between pages
when it is cancelled: whoever asked gets an answer or goes away at once, and the place is free when
the engine's thread is.
"""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Coroutine, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

from docparser_api.runtime import RuntimeConfig

from docparser_runtime.channel import Channel, End
from docparser_runtime.drafts import NOBODY, Audience, Delta
from docparser_runtime.errors import RequestTimeout
from docparser_runtime.gate import Gate, Place
from docparser_runtime.metrics import Metrics
from docparser_runtime.page_engine import Page, PageEngine
from docparser_runtime.reading import DocumentWork, Opened, Source, source_of
from docparser_runtime.schemas import Options
from docparser_runtime.tracing import spans
from docparser_runtime.uploads import Upload


@dataclass(frozen=True)
class Started:
    """The document got its place, after a wait of so many seconds."""

    queue_seconds: float


Event = Started | Opened | Delta | Page


@dataclass(frozen=True)
class Reading:
    """A document that was read."""

    pages: tuple[Page, ...]
    repaired: bool
    queue_seconds: float
    parse_seconds: float


class Overdue(RequestTimeout):
    """Reading took too long.

    Attributes:
        pages: what had been read until then.
    """

    def __init__(self, detail: str, pages: Sequence[Page]) -> None:
        super().__init__(detail)
        self.pages = pages


@dataclass(frozen=True)
class Tools:
    """What the service works with."""

    work: DocumentWork
    engine: PageEngine
    gate: Gate
    metrics: Metrics
    clock: Callable[[], float] = time.monotonic


class ParseService:
    """Turns uploads into text."""

    def __init__(self, config: RuntimeConfig, tools: Tools) -> None:
        self._config = config
        self._tools = tools
        self._jobs: set[asyncio.Task[None]] = set()

    async def parse(self, upload: Upload[Options]) -> Reading:
        """Return what the upload says.

        Raises:
            Overdue: it took too long.
            DocParserError: another of the typed errors.
        """
        pages: list[Page] = []
        repaired, waited, began = False, 0.0, self._tools.clock()
        try:
            async with aclosing(self.events(upload)) as events:
                async for event in events:
                    match event:
                        case Started():
                            waited, began = event.queue_seconds, self._tools.clock()
                        case Opened():
                            repaired |= event.repaired
                        case Page():
                            pages.append(event)
        except RequestTimeout as late:
            raise Overdue(late.detail, pages) from None
        return Reading(tuple(pages), repaired, waited, self._tools.clock() - began)

    async def events(
        self, upload: Upload[Options], *, with_text: bool = False
    ) -> AsyncGenerator[Event, None]:
        """Yield what happens, from `Started` to the last page. Close it to end the work.

        `with_text` adds text as it is written, by engines that generate.

        Raises:
            DocParserError: one of the typed errors.
        """
        source = source_of(upload.documents, upload.options, self._tools.engine.traits)
        came = self._tools.clock()
        with spans.step("queue wait"):
            place = await self._tools.gate.enter()
        waited = self._tools.clock() - came
        self._tools.metrics.queue_seconds.observe(waited)
        channel = Channel()
        audience = channel.drafts if with_text else NOBODY
        job = self._start(self._read(source, channel, audience), place)
        try:
            yield Started(waited)
            async with aclosing(self._until_end(channel)) as passed_on:
                async for event in passed_on:
                    yield event
        finally:
            job.cancel()

    async def close(self, patience_seconds: float = 0) -> bool:
        """Wait for work that nobody waits for any more; return whether all of it ended."""
        left: set[asyncio.Task[None]] = set()
        if self._jobs:
            _, left = await asyncio.wait(self._jobs, timeout=patience_seconds)
        return not left

    def _start(self, reading: Coroutine[Any, Any, None], place: Place) -> asyncio.Task[None]:
        job = asyncio.create_task(reading)
        self._jobs.add(job)
        job.add_done_callback(lambda job: self._end(job, place))
        return job

    def _end(self, job: asyncio.Task[None], place: Place) -> None:
        self._jobs.discard(job)
        place.release()

    async def _until_end(self, channel: Channel) -> AsyncGenerator[Opened | Delta | Page, None]:
        seconds = self._config.request_timeout_seconds
        deadline = asyncio.get_running_loop().time() + seconds
        while True:
            try:
                async with asyncio.timeout_at(deadline):
                    event = await channel.take()
            except TimeoutError:
                raise RequestTimeout(
                    f"Reading the document took longer than {seconds} seconds."
                ) from None
            if isinstance(event, End):
                if event.error is not None:
                    raise event.error
                return
            yield event

    async def _read(self, source: Source, channel: Channel, audience: Audience) -> None:
        end = End()
        repaired = False
        try:
            events = self._tools.work.read(source, self._config.max_pages, audience=audience)
            async with aclosing(events) as found:
                async for event in found:
                    repaired |= isinstance(event, Opened) and event.repaired
                    await channel.put(event)
            self._tools.metrics.repaired.inc(repaired)
        except Exception as error:  # noqa: BLE001 (it belongs to whoever waits)
            end = End(error)
        await channel.put(end)

"""Opens every document in a process of its own, which is confined and thrown away."""

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

from docparser_api.runtime import RuntimeConfig

from docparser_runtime.documents.base import Document, DocumentInfo
from docparser_runtime.documents.failures import crash, error_of, error_of_death, timeout
from docparser_runtime.documents.media_types import media_type_of
from docparser_runtime.documents.process import (
    ParserProcess,
    Pixels,
    ProcessGone,
    ProtocolViolation,
)
from docparser_runtime.documents.replies import Drawn, Failed, Opened, Reply
from docparser_runtime.engine.base import PageImage
from docparser_runtime.errors import ParserUnavailable, TooManyPages
from docparser_runtime.parser_child.limits import Limits

START_SECONDS = 30
"""Longest start of a parser process, on a node that is busy."""
WALL_FACTOR = 3
"""Wall-clock time per page as a multiple of its CPU time: the CPUs may be busy elsewhere."""

_log = logging.getLogger(__name__)


class SubprocessReader:
    """A `DocumentReader` with one parser process per document and one spare, already started."""

    def __init__(self, config: RuntimeConfig) -> None:
        self._max_pages = config.max_pages
        self._wall_seconds = WALL_FACTOR * config.page_timeout_seconds
        self._limits = Limits(
            memory_bytes=config.parser_memory_bytes,
            page_cpu_seconds=config.page_timeout_seconds,
            pages=config.max_pages,
            page_pixels=config.max_page_pixels,
            dpi=config.render_dpi,
        )
        self._executor = ThreadPoolExecutor(4, thread_name_prefix="parser")
        self._spare: asyncio.Task[ParserProcess] | None = None
        self._tasks: set[asyncio.Task[Any]] = set()
        self._has_warned = False

    async def start(self) -> None:
        """Start the spare and wait until it is ready.

        Raises:
            ParserUnavailable: it does not start.
        """
        self._spare = self._task(self._started())
        await asyncio.shield(self._spare)

    def open(
        self, content: bytes, password: str | None = None
    ) -> AbstractAsyncContextManager[Document]:
        """Return a context in which `content` is open; leaving it ends the process."""
        return self._open(content, password)

    async def close(self) -> None:
        """End the spare and everything that is still being ended."""
        if self._spare is not None:
            self._task(self._ended(self._spare))
            self._spare = None
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._executor.shutdown(wait=False)

    @asynccontextmanager
    async def _open(self, content: bytes, password: str | None) -> AsyncIterator[Document]:
        media_type = media_type_of(content)
        process = await self._take()
        document = _ProcessDocument(process, self._limits, self._wall_seconds)
        try:
            await document.open(media_type, content, password, self._max_pages)
            yield document
        finally:
            await process.end()

    async def _take(self) -> ParserProcess:
        """Return a fresh process and have the next spare started."""
        spare = self._spare or self._task(self._started())
        self._spare = self._task(self._started())
        try:
            process = await asyncio.shield(spare)
        except asyncio.CancelledError:
            self._task(self._ended(spare))
            raise
        if process.is_alive:
            return process
        await process.end()
        return await self._started()

    async def _started(self) -> ParserProcess:
        process = ParserProcess(self._executor, self._limits)
        try:
            async with asyncio.timeout(START_SECONDS):
                ready = await process.start()
        except (OSError, ProcessGone, ProtocolViolation, TimeoutError) as error:
            await process.end()
            raise ParserUnavailable("No process can be started to open documents.") from error
        except BaseException:
            await process.end()
            raise
        if ready.refused and not self._has_warned:
            self._has_warned = True
            _log.warning("parser process not fully confined: kernel refused %s", ready.refused)
        return process

    @staticmethod
    async def _ended(starting: "asyncio.Task[ParserProcess]") -> None:
        """End the process that `starting` brings, if it brings one."""
        (process,) = await asyncio.gather(starting, return_exceptions=True)
        if isinstance(process, ParserProcess):
            await process.end()

    def _task(self, coroutine: Any) -> "asyncio.Task[Any]":
        task = asyncio.get_running_loop().create_task(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


class _ProcessDocument:
    """A `Document` that lives in a parser process."""

    info: DocumentInfo

    def __init__(self, process: ParserProcess, limits: Limits, wall_seconds: float) -> None:
        self._process = process
        self._limits = limits
        self._wall_seconds = wall_seconds

    async def open(
        self, media_type: str, content: bytes, password: str | None, max_pages: int
    ) -> None:
        """Open `content`; afterwards `info` is set."""
        reply, _ = await self._ask({"media_type": media_type, "password": password}, content)
        if not isinstance(reply, Opened):
            raise crash()
        if reply.page_count > max_pages:
            raise TooManyPages(f"The document has more than {max_pages} pages.")
        self.info = DocumentInfo(media_type, reply.page_count, reply.repaired)

    async def page(self, index: int) -> PageImage:
        """Return page `index`."""
        reply, pixels = await self._ask({"index": index})
        if not isinstance(reply, Drawn) or pixels is None:
            raise crash()
        return PageImage(index, pixels, reply.dpi)

    async def _ask(
        self, head: Mapping[str, Any], payload: bytes = b""
    ) -> tuple[Reply, Pixels | None]:
        try:
            async with asyncio.timeout(self._wall_seconds):
                reply, pixels = await self._process.ask(head, payload)
        except TimeoutError:
            raise timeout() from None
        except ProtocolViolation:
            raise crash() from None
        except ProcessGone:
            death = await self._process.end()
            raise error_of_death(death, self._limits.memory_bytes) from None
        if isinstance(reply, Failed):
            raise error_of(reply.failure)
        return reply, pixels

"""Opens every document in a process of its own, which is confined and thrown away."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import numpy as np
from docparser_api.runtime import RuntimeConfig

from docparser_runtime.documents.base import Document, DocumentInfo
from docparser_runtime.documents.failures import crash, error_of, error_of_death, timeout
from docparser_runtime.documents.media_types import media_type_of
from docparser_runtime.documents.pool import ProcessPool
from docparser_runtime.documents.process import (
    ParserProcess,
    Payload,
    ProcessGone,
    ProtocolViolation,
)
from docparser_runtime.documents.replies import Added, Drawn, Failed, Opened, Reply, Saved
from docparser_runtime.documents.zygote import COMMAND
from docparser_runtime.engine.base import PageImage
from docparser_runtime.errors import TooManyPages
from docparser_runtime.outputs.page_text import PageText
from docparser_runtime.parser_child.limits import Limits

WALL_FACTOR = 3
"""Wall-clock time per page as a multiple of its CPU time: the CPUs may be busy elsewhere."""
_MOST_GROWTH = 2


class SubprocessReader:
    """A `DocumentReader` with one parser process per document and one spare, already started."""

    def __init__(self, config: RuntimeConfig, command: Sequence[str] = COMMAND) -> None:
        self._limits = Limits(
            memory_bytes=config.parser_memory_bytes,
            page_cpu_seconds=config.page_timeout_seconds,
            pages=config.max_pages,
            page_pixels=config.max_page_pixels,
            dpi=config.render_dpi,
        )
        self._pool = ProcessPool(self._limits, command)

    async def start(self) -> None:
        """Start the spare and wait until it is ready.

        Raises:
            ParserUnavailable: it does not start.
        """
        await self._pool.start()

    def open(
        self, content: bytes, password: str | None = None
    ) -> AbstractAsyncContextManager[Document]:
        """Return a context in which `content` is open; leaving it has the process killed."""
        return self._open(content, password)

    async def close(self) -> None:
        """End every process."""
        await self._pool.close()

    @asynccontextmanager
    async def _open(self, content: bytes, password: str | None) -> AsyncIterator[Document]:
        media_type = media_type_of(content)
        process = await self._pool.take()
        try:
            yield await _opened(process, self._limits, media_type, content, password)
        finally:
            await self._pool.let_go(process)


class _ProcessDocument:
    """A `Document` that lives in a parser process.

    `most_saved` is the size in bytes that no file made of it exceeds.
    """

    def __init__(
        self, process: ParserProcess, limits: Limits, info: DocumentInfo, most_saved: int
    ) -> None:
        self._process = process
        self._limits = limits
        self._most_saved = most_saved
        self.info = info

    async def page(self, index: int) -> PageImage:
        """Return page `index`."""
        reply, pixels = await self._answer({"kind": "picture", "index": index})
        if not isinstance(reply, Drawn) or not isinstance(pixels, np.ndarray):
            raise crash()
        return PageImage(index, pixels, reply.dpi)

    async def decrypted(self) -> bytes:
        """Return the file without encryption."""
        return await self._saved("decrypted")

    async def add_text(self, index: int, text: PageText) -> None:
        """Put `text` on page `index`."""
        reply, _ = await self._answer({"kind": "text", "index": index}, text.dumps())
        if not isinstance(reply, Added):
            raise crash()

    async def searchable(self) -> bytes:
        """Return the document with its text."""
        return await self._saved("save")

    async def _saved(self, kind: str) -> bytes:
        reply, content = await self._answer({"kind": kind})
        if not isinstance(reply, Saved) or not isinstance(content, bytearray):
            raise crash()
        return bytes(content)

    async def _answer(self, head: Mapping[str, Any], payload: bytes = b"") -> tuple[Reply, Payload]:
        return await _answer(self._process, self._limits, head, payload, self._most_saved)


async def _opened(
    process: ParserProcess, limits: Limits, media_type: str, content: bytes, password: str | None
) -> Document:
    head = {"media_type": media_type, "password": password}
    reply, _ = await _answer(process, limits, head, content)
    if not isinstance(reply, Opened):
        raise crash()
    if reply.page_count > limits.pages:
        raise TooManyPages(f"The document has more than {limits.pages} pages.")
    info = DocumentInfo(media_type, reply.page_count, reply.repaired, reply.encrypted)
    return _ProcessDocument(process, limits, info, _most_saved(len(content), info, limits))


def _most_saved(size_bytes: int, info: DocumentInfo, limits: Limits) -> int:
    """Return the bytes that no file made of a document of this size exceeds."""
    # Compressed pictures take less than a byte a pixel, but what they were sent as can be smaller.
    likely = _MOST_GROWTH * size_bytes + info.page_count * limits.page_pixels
    return min(likely, limits.memory_bytes)


async def _answer(
    process: ParserProcess,
    limits: Limits,
    head: Mapping[str, Any],
    payload: bytes,
    most_saved: int = 0,
) -> tuple[Reply, Payload]:
    """Return what the process answers; raises the typed error for everything that goes wrong."""
    try:
        async with asyncio.timeout(WALL_FACTOR * limits.page_cpu_seconds):
            reply, received = await process.ask(head, payload, most_saved)
    except TimeoutError:
        raise timeout() from None
    except ProtocolViolation:
        raise crash() from None
    except ProcessGone:
        raise error_of_death(await process.end(), limits.memory_bytes) from None
    if isinstance(reply, Failed):
        raise error_of(reply.failure)
    return reply, received

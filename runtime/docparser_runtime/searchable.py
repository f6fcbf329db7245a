"""Documents as PDFs whose text can be searched, made once they have been read.

Their parser does the work: here it is only told what to write where. That takes memory and a CPU,
so at most as many are made at the same time as documents are read.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Final

from docparser_api.runtime import RuntimeConfig

from docparser_runtime.documents.base import Document, DocumentReader
from docparser_runtime.errors import NotAcceptable, QueueFull, RequestTimeout
from docparser_runtime.outputs.page_text import PageText
from docparser_runtime.outputs.pages import page_of_body
from docparser_runtime.outputs.passages import page_text
from docparser_runtime.schemas import Options, PageBody
from docparser_runtime.uploads import Upload

MEDIA_TYPE: Final = "application/pdf"
_NOTHING: Final = PageText(1, 1, ())
"""Text of pages that were not to be read."""
_RETRY_SECONDS: Final = "5"


class SearchablePdfs:
    """Makes such files, a few at a time."""

    def __init__(self, config: RuntimeConfig, reader: DocumentReader) -> None:
        self._reader = reader
        self._seconds = config.request_timeout_seconds
        self._places = asyncio.Semaphore(config.max_concurrency)
        self._most_waiting = config.max_queue_length
        self._waiting = 0

    async def of_upload(self, upload: Upload[Options], pages: Sequence[PageBody]) -> bytes:
        """Return an upload of one document with the text of `pages`.

        Raises:
            RequestTimeout: it takes longer than a request may.
            DocParserError: too many wait, or one of the typed errors of documents.
        """
        (content,) = upload.documents

        async def sent() -> bytes:
            return content

        async def read() -> AsyncIterator[PageBody]:
            for page in pages:
                yield page

        try:
            async with asyncio.timeout(self._seconds):
                return await self.pdf(sent, read(), upload.options.password)
        except TimeoutError:
            raise RequestTimeout(
                f"Writing the text into the document took longer than {self._seconds} seconds."
            ) from None

    async def pdf(
        self,
        content: Callable[[], Awaitable[bytes]],
        pages: AsyncIterator[PageBody],
        password: str | None = None,
    ) -> bytes:
        """Return a document with the text of `pages`, which come in its order.

        The document is fetched when it is its turn. Pages that are missing get no text.

        Raises:
            QueueFull: too many wait.
            DocParserError: one of the typed errors of documents, or what `content` raises.
        """
        async with self._turn(), self._reader.open(await content(), password) as document:
            return await _searchable(document, pages)

    @asynccontextmanager
    async def _turn(self) -> AsyncIterator[None]:
        if self._places.locked() and self._waiting >= self._most_waiting:
            raise QueueFull(
                "Too many PDFs are being made; try again later.",
                headers={"Retry-After": _RETRY_SECONDS},
            )
        self._waiting += 1
        try:
            await self._places.acquire()
        finally:
            self._waiting -= 1
        try:
            yield
        finally:
            self._places.release()


def check_single(count: int) -> None:
    """Return when so many documents together can become one PDF.

    Raises:
        NotAcceptable: they cannot.
    """
    if count != 1:
        raise NotAcceptable(f"{MEDIA_TYPE} is for single documents; ask for another form.")


async def _searchable(document: Document, pages: AsyncIterator[PageBody]) -> bytes:
    page = await anext(pages, None)
    for index in range(document.info.page_count):
        text = _NOTHING
        if page is not None and page.index == index:
            text = page_text(page_of_body(page))
            page = await anext(pages, None)
        await document.add_text(index, text)
    return await document.searchable()

"""Reads documents page by page: the one path on which every request and every task is read."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Collection, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace

from docparser_runtime.documents.base import Document, DocumentReader
from docparser_runtime.engine.base import ParseOptions
from docparser_runtime.errors import TooManyPages
from docparser_runtime.page_engine import Page, PageEngine

_AHEAD = 2
"""Pages of one document that are worked on at the same time: one is drawn while another is read,
and where two places are free both are read. More would hold their pixels for nothing."""


@dataclass(frozen=True)
class Source:
    """What is to be read.

    Attributes:
        documents: one document, or one image per page, in order.
    """

    documents: Sequence[bytes]
    options: ParseOptions
    password: str | None = None


@dataclass(frozen=True)
class Opened:
    """A document, or one of its parts, has been opened; its pages come next.

    Attributes:
        pages: pages of all parts up to this one.
    """

    pages: int
    repaired: bool


class DocumentWork:
    """Opens documents and reads their pages."""

    def __init__(self, reader: DocumentReader, engine: PageEngine, max_concurrency: int) -> None:
        self._reader = reader
        self._engine = engine
        self._ahead = min(_AHEAD, max_concurrency)

    async def read(
        self, source: Source, max_pages: int, done: Collection[int] = ()
    ) -> AsyncGenerator[Opened | Page, None]:
        """Yield what happens, the pages in order; those of `done` are left out.

        Close the iterator when it is not read to its end.

        Raises:
            DocParserError: one of the typed errors.
        """
        check_count(len(source.documents), max_pages)
        first = 0
        for content in source.documents:
            async with self._reader.open(content, source.password) as document:
                count = document.info.page_count
                check_count(first + count, max_pages)
                yield Opened(first + count, document.info.repaired)
                indexes = [i for i in range(count) if first + i not in done]
                async with aclosing(self._pages(document, first, indexes, source)) as pages:
                    async for page in pages:
                        yield page
                first += count

    async def _pages(
        self, document: Document, first: int, indexes: Sequence[int], source: Source
    ) -> AsyncGenerator[Page, None]:
        under_way: deque[asyncio.Task[Page]] = deque()
        try:
            for index in indexes:
                image = replace(await document.page(index), index=first + index)
                reading = self._engine.read(image, source.options)
                under_way.append(asyncio.create_task(reading))
                if len(under_way) >= self._ahead:
                    yield await under_way.popleft()
            while under_way:
                yield await under_way.popleft()
        finally:
            for task in under_way:
                task.cancel()
            await asyncio.gather(*under_way, return_exceptions=True)


async def count_pages(
    reader: DocumentReader, documents: Sequence[bytes], password: str | None, max_pages: int
) -> int:
    """Return how many pages the documents have together; opens each of them.

    Raises:
        DocParserError: one of the typed errors of documents.
    """
    check_count(len(documents), max_pages)
    total = 0
    for content in documents:
        async with reader.open(content, password) as document:
            total += document.info.page_count
            check_count(total, max_pages)
    return total


def check_count(count: int, max_pages: int) -> None:
    """Return when a document may have so many pages.

    Raises:
        TooManyPages: it may not.
    """
    if count > max_pages:
        raise TooManyPages(f"The document has more than {max_pages} pages.")

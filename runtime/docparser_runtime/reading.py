"""Reads documents page by page: the one path on which every request and every task is read."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable, Collection, Sequence
from contextlib import AsyncExitStack, aclosing
from dataclasses import dataclass, replace

from docparser_runtime import page_ranges
from docparser_runtime.documents.base import Document, DocumentReader
from docparser_runtime.drafts import NOBODY, Audience
from docparser_runtime.engine.base import ParseOptions
from docparser_runtime.engine.tiers import ORDER, Tier
from docparser_runtime.engine.traits import Traits
from docparser_runtime.errors import TooManyPages, UnsupportedParameter
from docparser_runtime.page_engine import Page, PageEngine
from docparser_runtime.page_ranges import PageRange
from docparser_runtime.schemas import AUTO, Options
from docparser_runtime.tracing import spans

_AHEAD = 2
"""Pages of one document that are worked on at the same time: one is drawn while another is read,
and where two places are free both are read. More would hold their pixels for nothing."""


@dataclass(frozen=True)
class Source:
    """What is to be read.

    Attributes:
        documents: one document, or one image per page, in order.
        page_range: pages that are wanted; None for all. For one document only.
        at_most: asked for each page how closely the engine may look at it by its own choice.
    """

    documents: Sequence[bytes]
    options: ParseOptions
    password: str | None = None
    page_range: PageRange | None = None
    at_most: Callable[[], Tier] = lambda: Tier.HIGH

    def indexes(self, page_count: int) -> Sequence[int]:
        """Return the wanted pages of a document with so many.

        Raises:
            PageRangeInvalid: it lacks one of them.
        """
        return self.page_range.indexes(page_count) if self.page_range else range(page_count)

    def options_now(self) -> ParseOptions:
        """Return the options of a page whose reading begins now."""
        return replace(self.options, at_most=self.at_most())


@dataclass(frozen=True)
class Opened:
    """A document, or one of its parts, has been opened; its pages come next.

    Attributes:
        pages: wanted pages of all parts up to this one.
    """

    pages: int
    repaired: bool


@dataclass(frozen=True)
class _Reading:
    """An open document whose first page is page `first` of the whole."""

    document: Document
    first: int
    source: Source
    audience: Audience


class DocumentWork:
    """Opens documents and reads their pages."""

    def __init__(self, reader: DocumentReader, engine: PageEngine, max_concurrency: int) -> None:
        self._reader = reader
        self._engine = engine
        self._ahead = min(_AHEAD, max_concurrency)

    async def read(
        self,
        source: Source,
        max_pages: int,
        done: Collection[int] = (),
        audience: Audience = NOBODY,
    ) -> AsyncGenerator[Opened | Page, None]:
        """Yield what happens, the pages in order; those of `done` are left out.

        `audience` is told of text as it is written, by engines that generate. Close the iterator
        when it is not read to its end.

        Raises:
            DocParserError: one of the typed errors.
        """
        check_count(len(source.documents), max_pages)
        first = wanted = 0
        for content in source.documents:
            async with AsyncExitStack() as stack:
                with spans.step("open document"):
                    opening = self._reader.open(content, source.password)
                    document = await stack.enter_async_context(opening)
                count = document.info.page_count
                chosen = source.indexes(count)
                wanted += len(chosen)
                check_count(wanted, max_pages)
                yield Opened(wanted, document.info.repaired)
                indexes = [i for i in chosen if first + i not in done]
                reading = _Reading(document, first, source, audience)
                async with aclosing(self._pages(reading, indexes)) as pages:
                    async for page in pages:
                        yield page
                first += count

    async def _pages(self, reading: _Reading, indexes: Sequence[int]) -> AsyncGenerator[Page, None]:
        under_way: deque[asyncio.Task[Page]] = deque()
        try:
            for index in indexes:
                place = reading.first + index
                with spans.step("draw page", **{spans.PAGE: place}):
                    image = replace(await reading.document.page(index), index=place)
                page = self._engine.read(image, reading.source.options_now(), reading.audience)
                under_way.append(asyncio.create_task(page))
                if len(under_way) >= self._ahead:
                    yield await under_way.popleft()
            while under_way:
                yield await under_way.popleft()
        finally:
            for task in under_way:
                task.cancel()
            await asyncio.gather(*under_way, return_exceptions=True)


@dataclass(frozen=True)
class Readable:
    """Documents that can be read without a password.

    Attributes:
        pages: how many are wanted of all of them together.
        documents: as they came, but without encryption.
    """

    pages: int
    documents: tuple[bytes, ...]


async def readable(reader: DocumentReader, source: Source, max_pages: int) -> Readable:
    """Return what a source holds; opens each of its documents.

    Raises:
        DocParserError: one of the typed errors of documents.
    """
    check_count(len(source.documents), max_pages)
    total = 0
    documents = []
    for content in source.documents:
        async with reader.open(content, source.password) as document:
            total += len(source.indexes(document.info.page_count))
            check_count(total, max_pages)
            encrypted = document.info.encrypted
            documents.append(await document.decrypted() if encrypted else content)
    return Readable(total, tuple(documents))


def source_of(documents: Sequence[bytes], options: Options, traits: Traits) -> Source:
    """Return what a request wants to have read by an engine of such traits.

    Raises:
        UnsupportedParameter: an option cannot be honoured.
        InvalidRequest: the page range means nothing.
    """
    if options.max_new_tokens is not None and not traits.generates:
        raise UnsupportedParameter("max_new_tokens: this engine does not generate, leave it out.")
    pages = page_ranges.parse(options.page_range) if options.page_range else None
    if pages is not None and len(documents) > 1:
        raise UnsupportedParameter(
            "page_range: these are single pages; leave out what you need not."
        )
    wanted = ParseOptions(options.max_new_tokens, _tier(options.tier, traits))
    return Source(documents, wanted, options.password, pages)


def _tier(name: str, traits: Traits) -> Tier | None:
    """Return the tier of this name; None where the engine may choose."""
    if name == AUTO:
        return None
    if name not in traits.tiers:
        there_are = [tier.value for tier in ORDER if tier in traits.tiers]
        raise UnsupportedParameter(f"tier: this engine has {', '.join([AUTO, *there_are])} only.")
    return Tier(name)


def check_count(count: int, max_pages: int) -> None:
    """Return when a document may have so many pages.

    Raises:
        TooManyPages: it may not.
    """
    if count > max_pages:
        raise TooManyPages(f"The document has more than {max_pages} pages.")

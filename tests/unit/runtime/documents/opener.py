"""Opens documents for tests that are not asynchronous themselves."""

import asyncio
from collections.abc import Callable
from http import HTTPStatus

from docparser_runtime import errors
from docparser_runtime.documents.base import DocumentInfo
from docparser_runtime.documents.reader import SubprocessReader
from docparser_runtime.engine.base import PageImage
from docparser_runtime.outputs.page_text import PageText

DEADLINE_SECONDS = 20


class Opener:
    """Opens documents for tests that are not asynchronous themselves."""

    def __init__(self, loop: asyncio.AbstractEventLoop, reader: SubprocessReader) -> None:
        self._loop = loop
        self._reader = reader

    def read(
        self, content: bytes, *, password: str | None = None, order: tuple[int, ...] | None = None
    ) -> tuple[DocumentInfo, list[PageImage]]:
        """Return what is known of the document and its pages, all of them or those of `order`."""

        async def reading() -> tuple[DocumentInfo, list[PageImage]]:
            limit = asyncio.timeout(DEADLINE_SECONDS)
            async with limit, self._reader.open(content, password) as document:
                indices = range(document.info.page_count) if order is None else order
                return document.info, [await document.page(index) for index in indices]

        return self._loop.run_until_complete(reading())

    def searchable(
        self, content: bytes, text_of: Callable[[int], PageText], password: str | None = None
    ) -> bytes:
        """Return the document with the text of each page, which is named by its index."""

        async def making() -> bytes:
            limit = asyncio.timeout(DEADLINE_SECONDS)
            async with limit, self._reader.open(content, password) as document:
                for index in range(document.info.page_count):
                    await document.add_text(index, text_of(index))
                return await document.searchable()

        return self._loop.run_until_complete(making())

    def decrypted(self, content: bytes, password: str | None = None) -> bytes:
        """Return the document without encryption."""

        async def saving() -> bytes:
            limit = asyncio.timeout(DEADLINE_SECONDS)
            async with limit, self._reader.open(content, password) as document:
                return await document.decrypted()

        return self._loop.run_until_complete(saving())

    def outcome(self, content: bytes, password: str | None = None) -> str:
        """Return the code of the error, if it is the document's fault, or how it came out."""
        try:
            info, _ = self.read(content, password=password)
        except errors.DocParserError as error:
            return error.code if error.status == HTTPStatus.UNPROCESSABLE_ENTITY else "our fault"
        return "repaired" if info.repaired else "fine"

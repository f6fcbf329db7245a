"""Opens documents for tests that are not asynchronous themselves."""

import asyncio

from docparser_runtime import errors
from docparser_runtime.documents.base import DocumentInfo
from docparser_runtime.documents.reader import SubprocessReader
from docparser_runtime.engine.base import PageImage

DEADLINE_SECONDS = 20


class Opener:
    """Opens documents for tests that are not asynchronous themselves."""

    def __init__(self, runner: asyncio.Runner, reader: SubprocessReader) -> None:
        self._runner = runner
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

        return self._runner.run(reading())

    def outcome(self, content: bytes, password: str | None = None) -> str:
        """Return the code of the error, or how the pages came out."""
        try:
            info, _ = self.read(content, password=password)
        except errors.DocParserError as error:
            assert error.status == 422
            return error.code
        return "repaired" if info.repaired else "fine"

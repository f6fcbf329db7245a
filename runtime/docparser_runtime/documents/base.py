"""What the service needs of a document, whatever its format."""

from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol

from docparser_runtime.engine.base import PageImage
from docparser_runtime.outputs.page_text import PageText


@dataclass(frozen=True)
class DocumentInfo:
    """What is known of a document once it is open.

    Attributes:
        media_type: kind by content, such as `application/pdf`.
        page_count: number of pages, at least 1.
        repaired: whether its structure had to be mended.
        encrypted: whether it is encrypted, if only with an empty password.
    """

    media_type: str
    page_count: int
    repaired: bool = False
    encrypted: bool = False


class Document(Protocol):
    """An open document. Used by one task at a time."""

    info: DocumentInfo

    async def page(self, index: int) -> PageImage:
        """Return page `index`, upright, at most `maxPagePixels` large.

        Raises:
            DocParserError: one of the typed document errors.
        """
        ...

    async def decrypted(self) -> bytes:
        """Return the file without encryption; one that has none as it is.

        Raises:
            DocParserError: one of the typed document errors.
        """
        ...

    async def add_text(self, index: int, text: PageText) -> None:
        """Put `text` on page `index` of what `searchable` returns.

        To be called once for each page, from the first to the last.

        Raises:
            DocParserError: one of the typed document errors.
        """
        ...

    async def searchable(self) -> bytes:
        """Return the document as a PDF with the text that it was given. The document is used up.

        What is encrypted stays so.

        Raises:
            DocParserError: one of the typed document errors.
        """
        ...


class DocumentReader(Protocol):
    """Opens documents away from this process. Used by many tasks at once."""

    async def start(self) -> None:
        """Get ready to open documents."""
        ...

    def open(
        self, content: bytes, password: str | None = None
    ) -> AbstractAsyncContextManager[Document]:
        """Return a context in which `content` is open; leaving it frees everything.

        Raises:
            DocParserError: on entering, one of the typed document errors.
        """
        ...

    async def close(self) -> None:
        """End every helper process."""
        ...

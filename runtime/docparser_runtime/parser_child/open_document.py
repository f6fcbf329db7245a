"""The one document of a parser, and what can be asked of it."""

from collections.abc import Mapping
from typing import Any

from PIL import Image

from docparser_runtime.outputs.page_text import PageText
from docparser_runtime.outputs.searchable_pdf import SearchablePdf
from docparser_runtime.parser_child.images import ImagePages
from docparser_runtime.parser_child.limits import Limits
from docparser_runtime.parser_child.pages import Pages
from docparser_runtime.parser_child.pdf import PdfPages, usable

PDF = "application/pdf"
_SAVED = {"kind": "saved"}

Answer = tuple[dict[str, Any], memoryview | None]
"""Head and payload of a reply."""


def opened(head: Mapping[str, Any], content: bytes, limits: Limits) -> Pages:
    """Return the pages of the document that a request holds.

    Raises:
        Refused: there are none.
    """
    if head["media_type"] == PDF:
        return PdfPages(content, head["password"], limits)
    return ImagePages(content, head["media_type"], limits)


class OpenDocument:
    """A document that was opened."""

    def __init__(self, head: Mapping[str, Any], content: bytes, limits: Limits) -> None:
        """Open what the first request holds.

        Raises:
            Refused: it cannot be opened.
        """
        # Of all documents: what is cut out of their pages is bounded, too.
        Image.MAX_IMAGE_PIXELS = limits.page_pixels
        self._head = head
        self._content = content
        self._pages = opened(head, content, limits)
        self._searchable: SearchablePdf | None = None

    def description(self) -> dict[str, Any]:
        """Return the reply to the first request."""
        pages = self._pages
        encrypted = isinstance(pages, PdfPages) and pages.encrypted
        known = {"page_count": pages.count, "repaired": pages.repaired, "encrypted": encrypted}
        return {"kind": "opened", **known}

    def answer(self, head: Mapping[str, Any], payload: bytes) -> Answer:
        """Return the reply to a later request.

        Raises:
            Refused: what is asked for cannot be had.
        """
        match head["kind"]:
            case "picture":
                return self._picture(head["index"])
            case "text":
                self._made().add(head["index"], PageText.loads(payload))
                return {"kind": "added"}, None
            case "save":
                return _SAVED, memoryview(self._made().content())
            case _:
                return _SAVED, memoryview(self._decrypted())

    def _picture(self, index: int) -> Answer:
        picture = self._pages.picture(index)
        size = {"kind": "drawn", "width": picture.width, "height": picture.height}
        return {**size, "dpi": picture.dpi}, picture.rgb

    def _made(self) -> SearchablePdf:
        """Return the file that gets the text; it is begun with the first page."""
        if self._searchable is None:
            password = usable(self._head["password"])
            self._searchable = SearchablePdf(
                self._content, self._head["media_type"], password, self._pages
            )
        return self._searchable

    def _decrypted(self) -> bytes:
        pages = self._pages
        if isinstance(pages, PdfPages) and pages.encrypted:
            return pages.decrypted()
        return self._content

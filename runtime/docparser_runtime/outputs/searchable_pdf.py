"""A document as a PDF whose text can be searched and copied.

This opens untrusted documents: it belongs into the confined process that drew their pages. Nothing
but bytes go in and out. A PDF stays as it is, down to its encryption; every page gets its text
below what it shows, where it does not say it itself. Images become the pages of a new file, and so
do the pages of a PDF that is too damaged to be changed.
"""

import io
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Protocol

import pikepdf
from PIL import Image

from docparser_runtime.outputs.invisible_font import InvisibleFont
from docparser_runtime.outputs.page_space import PageSpace
from docparser_runtime.outputs.page_text import PageText, Passage
from docparser_runtime.outputs.pdf_pages import PagesDiffer, PdfFile, add_font, put_below
from docparser_runtime.outputs.picture_pages import PictureFile
from docparser_runtime.outputs.placing import placed_lines
from docparser_runtime.outputs.text_layer import FONT, layer
from docparser_runtime.parser_child.failures import Failure, Refused
from docparser_runtime.parser_child.pages import Pages, Picture

_PDF = "application/pdf"


class _File(Protocol):
    """The file that is being written."""

    pdf: pikepdf.Pdf

    def page(self, index: int, picture: Picture) -> tuple[pikepdf.Dictionary, PageSpace]:
        """Return page `index`, of which `picture` is what is shown."""
        ...

    def unsaid(self, index: int, text: PageText, space: PageSpace) -> tuple[Passage, ...]:
        """Return the passages of `text` that the page does not say itself."""
        ...


class SearchablePdf:
    """Takes the text page by page and gives the file out in the end."""

    def __init__(self, content: bytes, media_type: str, password: str | None, pages: Pages) -> None:
        """Start on a document that is open as `pages`.

        Raises:
            Refused: nothing can be made of it.
        """
        self._pages = pages
        with _refusals():
            self._file = _file(content, media_type, password, pages.count)
            self._font = InvisibleFont(self._file.pdf)

    def add(self, index: int, text: PageText) -> None:
        """Put `text` on page `index`: once each page, from the first to the last.

        Raises:
            Refused: the page is damaged.
        """
        if not text.passages and isinstance(self._file, PdfFile):
            return  # the page stays as it is, and need not be drawn
        with _refusals():
            picture = self._pages.picture(index)
            page, space = self._file.page(index, picture)
            unsaid = replace(text, passages=self._file.unsaid(index, text, space))
            if not unsaid.passages:
                return
            size = (text.width, text.height)
            lines = placed_lines(unsaid, _grey(picture).resize(size))
            put_below(self._file.pdf, page, layer(lines, size, space, self._font))
            add_font(page, FONT, self._font.reference)

    def content(self) -> bytes:
        """Return the file. Nothing is to be added afterwards.

        Raises:
            Refused: it cannot be written.
        """
        output = io.BytesIO()
        with _refusals():
            self._font.complete()
            pdf = self._file.pdf
            # What is encrypted stays so; its id cannot be the same each time.
            pdf.save(output, encryption=pdf.is_encrypted, deterministic_id=not pdf.is_encrypted)
        return output.getvalue()


def searchable_pdf(
    content: bytes,
    media_type: str,
    password: str | None,
    pages: Pages,
    texts: Iterable[PageText],
) -> bytes:
    """Return the document, which is open as `pages`, as a PDF that says `texts`, one a page.

    Raises:
        Refused: it is damaged.
    """
    searchable = SearchablePdf(content, media_type, password, pages)
    for index, text in enumerate(texts):
        searchable.add(index, text)
    return searchable.content()


def _file(content: bytes, media_type: str, password: str | None, page_count: int) -> _File:
    if media_type == _PDF:
        try:
            return PdfFile(content, password, page_count)
        except (pikepdf.PdfError, PagesDiffer):
            # Pictures of its pages would lie open that its owner had locked.
            if password is not None:
                raise
    return PictureFile(content, media_type)


@contextmanager
def _refusals() -> Iterator[None]:
    try:
        yield
    except (Refused, MemoryError):
        raise
    except Exception:  # noqa: BLE001 - libraries raise whatever the damage leads to
        raise Refused(Failure.CORRUPT) from None


def _grey(picture: Picture) -> Image.Image:
    size = (picture.width, picture.height)
    return Image.frombytes("RGB", size, bytes(picture.rgb)).convert("L")

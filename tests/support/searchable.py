"""Looks into searchable PDFs with the eyes of a reader."""

from dataclasses import dataclass

import pypdfium2  # type: ignore[import-untyped]
from docparser_runtime.outputs.page_text import PageText, Passage, Rectangle
from docparser_runtime.parser_child.limits import Limits
from docparser_runtime.parser_child.pdf import PdfPages
from pypdfium2 import raw

PDF = "application/pdf"
LIMITS = Limits(memory_bytes=0, page_cpu_seconds=0, pages=20, page_pixels=20_000_000, dpi=72)


def pages_of(content: bytes, password: str | None = None) -> PdfPages:
    return PdfPages(content, password, LIMITS)


def a_text(content: bytes, *passages: Passage, index: int = 0) -> PageText:
    """Return the text of a page whose picture is the one that a parser draws."""
    picture = pages_of(content).picture(index)
    return PageText(picture.width, picture.height, passages)


@dataclass(frozen=True)
class Reader:
    """An open PDF."""

    content: bytes
    password: str | None = None

    def text(self, index: int = 0) -> str:
        """Return what is copied when all of a page is selected, lines parted by newlines."""
        page = pypdfium2.PdfDocument(self.content, password=self.password)[index]
        return str(page.get_textpage().get_text_bounded()).replace("\r\n", "\n")

    def found(self, words: str, size: tuple[int, int], index: int = 0) -> list[Rectangle]:
        """Return where a search highlights `words`, in pixels of a picture of the page."""
        page = pypdfium2.PdfDocument(self.content, password=self.password)[index]
        text = page.get_textpage()
        search = text.search(words, match_case=True)
        boxes = []
        while (match := search.get_next()) is not None:
            rectangles = [text.get_rect(at) for at in range(text.count_rects(*match))]
            corners = [
                _pixel(page, size, x, y)
                for left, bottom, right, top in rectangles
                for x, y in ((left, bottom), (right, top))
            ]
            xs, ys = zip(*corners, strict=True)
            boxes.append((min(xs), min(ys), max(xs), max(ys)))
        return boxes


def _pixel(
    page: pypdfium2.PdfPage, size: tuple[int, int], x: float, y: float
) -> tuple[float, float]:
    # Pixels are whole numbers there; hence a picture a hundred times as large.
    column, row = raw.c_int(), raw.c_int()
    large = [side * 100 for side in size]
    raw.FPDF_PageToDevice(page, 0, 0, *large, 0, x, y, column, row)
    return column.value / 100, row.value / 100


def distance(one: Rectangle, other: Rectangle) -> float:
    """Return by how much the sides of two boxes differ at most."""
    return max(abs(a - b) for a, b in zip(one, other, strict=True))

"""Pages of several columns with headings, a table, a figure and a footer, read in their order."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pypdfium2  # type: ignore[import-untyped]
import pytest
from docparser_runtime.engine.base import PageImage, ParseOptions
from docparser_runtime.engine.rapidocr import RapidOcrEngine
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Flowable, Frame, Paragraph, Spacer
from support.sample_document import (
    FIBRES,
    INK,
    INTRODUCTION,
    TABLE_ROWS,
    WEIGHT,
    canvas_pdf,
    character_error_rate,
    fill,
    ruled_table,
)

BODY = ParagraphStyle("body", fontName="Times-Roman", fontSize=9, leading=12, spaceAfter=6)
HEADING = ParagraphStyle("heading", fontName="Helvetica-Bold", fontSize=15, leading=19)
WIDTH, HEIGHT, MARGIN, GUTTER, FOOTER = 480, 500, 30, 18, 40


@dataclass(frozen=True)
class Band:
    """A part of the page over its whole width: as many columns as there are lists of contents."""

    height: float
    columns: Sequence[Sequence[str | Flowable]]
    style: ParagraphStyle = BODY


def drawn(bands: Sequence[Band], footer: str) -> np.ndarray:
    """Return the page with its bands one below the other."""

    def draw(canvas: Canvas, _index: int) -> None:
        canvas.setFont("Times-Roman", 9)
        canvas.drawCentredString(WIDTH / 2, FOOTER / 2, footer)
        top: float = HEIGHT - MARGIN
        for band in bands:
            count = len(band.columns)
            width = (WIDTH - 2 * MARGIN - GUTTER * (count - 1)) / count
            top -= band.height
            for position, contents in enumerate(band.columns):
                left = MARGIN + position * (width + GUTTER)
                frame = Frame(left, top, width, band.height, *(0, 0, 0, 0))
                fill([(frame, [flowable(part, band.style) for part in contents])], canvas)

    page = pypdfium2.PdfDocument(canvas_pdf(draw, page_size=(WIDTH, HEIGHT)))[0]
    return np.asarray(page.render(scale=2, rev_byteorder=True).to_numpy().copy(), np.uint8)


def flowable(part: str | Flowable, style: ParagraphStyle) -> Flowable:
    return Paragraph(part, style) if isinstance(part, str) else part


TABLE = [row[:2] for row in TABLE_ROWS[:4]]
PAGES = {
    "two columns": (
        [
            Band(30, [["Paper, Water and Ink"]], HEADING),
            Band(190, [[FIBRES, Spacer(1, 40), WEIGHT], [INK]]),
            Band(30, [["What the Mill Delivers"]], HEADING),
            Band(170, [[INTRODUCTION], [ruled_table(TABLE), WEIGHT]]),
        ],
        [
            *("Paper, Water and Ink", FIBRES, WEIGHT, INK),
            *("What the Mill Delivers", INTRODUCTION, *map(" ".join, TABLE), WEIGHT),
        ],
    ),
    "three columns": (
        [
            Band(30, [["Three Ways to Read a Page"]], HEADING),
            Band(240, [[FIBRES], [WEIGHT, INTRODUCTION], [INK]]),
            Band(30, [["Another Three"]], HEADING),
            Band(140, [[INK], [Spacer(1, 45), "A figure stands above."], [WEIGHT]]),
        ],
        [
            *("Three Ways to Read a Page", FIBRES, WEIGHT, INTRODUCTION, INK),
            *("Another Three", INK, "A figure stands above.", WEIGHT),
        ],
    ),
}


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_read_in_its_order(engine: RapidOcrEngine, name: str) -> None:
    bands, texts = PAGES[name]
    page = PageImage(0, drawn(bands, "page 7"), 144)
    found = engine.parse(page, ParseOptions(max_new_tokens=None)).markdown
    errors = character_error_rate("\n".join([*texts, "page 7"]), found)
    print(f"{name}: {errors:.2%}")
    assert errors <= 0.01

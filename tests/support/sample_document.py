"""Documents whose text is known: the sample of `make demo` and the pages that tests read.

Every document is drawn with reportlab in its invariant mode, so that the same
call returns the same bytes. Run as a program it writes the sample to a file.
"""

import re
import sys
from collections.abc import Callable, Sequence
from io import BytesIO
from pathlib import Path

from rapidfuzz.distance import Levenshtein
from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Flowable, Frame, Paragraph, Table, TableStyle

TITLE = "A Field Guide to Paper"
INTRODUCTION = (
    "Paper keeps what people agreed on, long after the meeting is over. This guide describes "
    "three pages of it: one of plain prose, one with a table of figures, and one set in two "
    "columns, as a journal would print it."
)
HEADING_FIBRES = "Fibres and Water"
FIBRES = (
    "A sheet begins as a thin soup: one part of fibre in about two hundred parts of water. The "
    "soup runs over a fine wire, the water drains away, and the fibres settle across each other "
    "until they hold. Pressing and drying do the rest."
)
WEIGHT = (
    "The weight of a sheet is given in grams per square metre. Newsprint weighs 45, office paper "
    "80 and a visiting card 300. Thickness follows weight, but not exactly; a soft sheet may be "
    "thicker than a heavier one that was pressed hard."
)
HEADING_INK = "Ink and Light"
INK = (
    "Good ink is black because it returns almost no light, and good paper is white because it "
    "returns nearly all of it. A scanner measures the difference at every point, 144 or 300 "
    "times per inch, and that is all a reading machine will ever know about the page."
)
HEADING_TABLE = "What a Mill Delivers"
TABLE_INTRODUCTION = (
    "The table below lists the four grades that a small mill sold in its first year, with the "
    "mass in tonnes, the price per tonne and the share that came back as waste."
)
TABLE_ROWS = (
    ("Grade", "Mass (t)", "Price (EUR)", "Returned"),
    ("Newsprint", "1,250", "410.00", "3.1 %"),
    ("Office paper", "980", "735.50", "1.4 %"),
    ("Kraft board", "2,040", "512.25", "0.9 %"),
    ("Fine art paper", "36", "4,900.00", "0.2 %"),
)
TABLE_REMARK = (
    "Board earned the most, although art paper fetched the highest price. The mill therefore "
    "bought a second machine for board in the spring and leased the old hall to a printer."
)
COLUMNS_TITLE = "Two Columns, One Story"
LEFT_COLUMN = (
    "Narrow columns are easy to read: the eye finds the next line without a search.",
    "A machine has a harder time: the lines of both columns often stand at the same height.",
    "The gap between the columns is the key, for it runs down the page without a letter in it.",
)
RIGHT_COLUMN = (
    "Once the page is cut there, each half is read from top to bottom, the left one first.",
    "The same rule, applied again to every piece, sorts out pages of three columns as well.",
    "Only when no straight cut exists does a reader need to understand the words.",
)
THREE_COLUMNS_TITLE = "Notes from Three Harbours"
THREE_COLUMNS = (
    (
        "The northern harbour freezes in January. Pilots wait in a wooden house and play chess.",
        "Their oldest set lacks one bishop; a cork does its work.",
    ),
    (
        "In the middle harbour the tide is nine metres high. Ships come and leave within hours.",
        "The clock on the quay shows the water, not the time.",
    ),
    (
        "The southern harbour is deep and always open, and its town sleeps with wax in its ears.",
        "On Sundays the silence wakes everybody up.",
    ),
)

SAMPLE_PAGES: tuple[str, ...] = (
    f"{TITLE}\n{INTRODUCTION}\n{HEADING_FIBRES}\n{FIBRES}\n{WEIGHT}\n{HEADING_INK}\n{INK}",
    "\n".join(
        (
            HEADING_TABLE,
            TABLE_INTRODUCTION,
            *(" ".join(row) for row in TABLE_ROWS),
            TABLE_REMARK,
        )
    ),
    "\n".join((COLUMNS_TITLE, *LEFT_COLUMN, *RIGHT_COLUMN)),
)
"""Text of each page of the sample in reading order, one block or table row a line."""

THREE_COLUMN_PAGE: str = "\n".join(
    (THREE_COLUMNS_TITLE, *(text for column in THREE_COLUMNS for text in column))
)
"""Text of `three_column_pdf` in reading order."""

_WIDTH, _HEIGHT = A4
_MARGIN = 64
_GUTTER = 24
_BODY = ParagraphStyle("body", fontName="Times-Roman", fontSize=11, leading=14.5, spaceAfter=8)
_TITLE = ParagraphStyle("title", fontName="Helvetica-Bold", fontSize=22, leading=27, spaceAfter=14)
_HEADING = ParagraphStyle(
    "heading", fontName="Helvetica-Bold", fontSize=15, leading=19, spaceBefore=8, spaceAfter=6
)
_CELL_GRID = TableStyle(
    [
        ("GRID", (0, 0), (-1, -1), 0.75, colors.black),
        ("FONT", (0, 0), (-1, -1), "Helvetica", 10),
        ("FONT", (0, 0), (-1, 0), "Helvetica-Bold", 10),
        ("TOPPADDING", (0, 0), (-1, -1), 5),
        ("BOTTOMPADDING", (0, 0), (-1, -1), 5),
    ]
)

Column = tuple[Frame, Sequence[Flowable]]


def sample_pdf() -> bytes:
    """Return the three-page sample whose text is `SAMPLE_PAGES`."""
    prose = (
        Paragraph(TITLE, _TITLE),
        Paragraph(INTRODUCTION, _BODY),
        Paragraph(HEADING_FIBRES, _HEADING),
        Paragraph(FIBRES, _BODY),
        Paragraph(WEIGHT, _BODY),
        Paragraph(HEADING_INK, _HEADING),
        Paragraph(INK, _BODY),
    )
    figures = (
        Paragraph(HEADING_TABLE, _HEADING),
        Paragraph(TABLE_INTRODUCTION, _BODY),
        ruled_table(TABLE_ROWS),
        Paragraph(TABLE_REMARK, _BODY),
    )
    columns = _titled_columns(COLUMNS_TITLE, (LEFT_COLUMN, RIGHT_COLUMN))
    return pdf_of([[(_whole_page(), prose)], [(_whole_page(), figures)], columns])


def three_column_pdf() -> bytes:
    """Return one page of three columns below a title; its text is `THREE_COLUMN_PAGE`."""
    return pdf_of([_titled_columns(THREE_COLUMNS_TITLE, THREE_COLUMNS)])


def prose_pdf(page_count: int) -> bytes:
    """Return `page_count` pages that each hold one short line."""
    return canvas_pdf(
        lambda canvas, index: canvas.drawString(72, 720, f"Page {index + 1}"), page_count
    )


def blank_pdf() -> bytes:
    """Return one empty page."""
    return canvas_pdf(lambda _canvas, _index: None)


def canvas_pdf(
    draw: Callable[[Canvas, int], None],
    page_count: int = 1,
    page_size: tuple[float, float] = A4,
    encrypt: object = None,
) -> bytes:
    """Return pages on which `draw(canvas, page index)` drew; `encrypt` as in reportlab."""
    buffer = BytesIO()
    canvas = Canvas(buffer, pagesize=page_size, invariant=1, encrypt=encrypt)
    for index in range(page_count):
        draw(canvas, index)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def pdf_of(pages: Sequence[Sequence[Column]]) -> bytes:
    """Return one page for each list of columns."""
    return canvas_pdf(lambda canvas, index: fill(pages[index], canvas), len(pages))


def fill(columns: Sequence[Column], canvas: Canvas) -> None:
    """Draw the columns of a page; raise when the text of one overflows."""
    for frame, flowables in columns:
        rest = list(flowables)
        frame.addFromList(rest, canvas)
        if rest:
            raise ValueError(f"{rest[0]} overflows")


def ruled_table(rows: Sequence[Sequence[str]]) -> Flowable:
    """Return a table of `rows` with every cell boxed in."""
    return Table([list(row) for row in rows], style=_CELL_GRID, spaceBefore=6, spaceAfter=14)


def character_error_rate(expected: str, markdown: str) -> float:
    """Return the edit distance between both texts, divided by the length of `expected`.

    Markup and white space do not count: see `plain_text`.
    """
    wanted, read = plain_text(expected), plain_text(markdown)
    return Levenshtein.distance(wanted, read) / max(len(wanted), 1)


def plain_text(markdown: str) -> str:
    """Return the words of `markdown`, one space apart.

    Dropped are heading marks, list marks, rows of dashes and cell borders of
    tables, emphasis marks and the backslashes that escape punctuation.
    """
    lines = []
    for line in markdown.splitlines():
        if re.fullmatch(r"\s*\|?(\s*:?-{3,}:?\s*\|)+\s*(:?-{3,}:?)?\s*", line):
            continue
        words = re.sub(r"^\s*(#{1,6}\s+|[-*+]\s+)", "", line)
        words = re.sub(r"(?<!\\)\||(?<!\\)\*{1,2}", " ", words)
        lines.append(re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", words))
    return " ".join(" ".join(lines).split())


def _whole_page() -> Frame:
    return _frame(_MARGIN, _MARGIN, _WIDTH - 2 * _MARGIN, _HEIGHT - 2 * _MARGIN)


def _frame(left: float, bottom: float, width: float, height: float) -> Frame:
    return Frame(left, bottom, width, height, leftPadding=0, rightPadding=0)


def _titled_columns(title: str, columns: Sequence[Sequence[str]]) -> list[Column]:
    """Return a title over the whole width and, below it, columns of equal width."""
    title_height = 60
    top = _HEIGHT - _MARGIN - title_height
    usable = _WIDTH - 2 * _MARGIN - _GUTTER * (len(columns) - 1)
    width = usable / len(columns)
    parts: list[Column] = [
        (_frame(_MARGIN, top, _WIDTH - 2 * _MARGIN, title_height), (Paragraph(title, _TITLE),))
    ]
    for position, texts in enumerate(columns):
        left = _MARGIN + position * (width + _GUTTER)
        frame = _frame(left, _MARGIN, width, top - _MARGIN)
        parts.append((frame, [Paragraph(text, _BODY) for text in texts]))
    return parts


if __name__ == "__main__":
    Path(sys.argv[1]).write_bytes(sample_pdf())

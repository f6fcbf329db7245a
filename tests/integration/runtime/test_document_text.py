"""A document of several pages that the real engine reads, put together."""

import io
from itertools import pairwise

import numpy as np
import pytest
from docparser_runtime.engine.base import PageImage, ParseOptions
from docparser_runtime.engine.rapidocr import RapidOcrEngine
from docparser_runtime.outputs.furniture import furniture
from docparser_runtime.outputs.joining import Joiner, joined_text
from docparser_runtime.outputs.options import HeadersFooters
from docparser_runtime.outputs.pages import OutputPage, page_of_result
from docparser_runtime.parser_child.limits import Limits
from docparser_runtime.parser_child.pdf import PdfPages
from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import BaseDocTemplate, Frame, PageTemplate, Paragraph, Table, TableStyle
from support.sample_document import FIBRES, INK, TABLE_ROWS, WEIGHT, plain_text

DPI = 144
LIMITS = Limits(memory_bytes=0, page_cpu_seconds=0, pages=20, page_pixels=20_000_000, dpi=DPI)
BODY = ParagraphStyle("body", fontName="Times-Roman", fontSize=11, leading=14.5, spaceAfter=8)
GRID = TableStyle([("GRID", (0, 0), (-1, -1), 0.75, colors.black)])
HEADERS = ("A Field Guide to Paper", "Chapter 2. Fibres and Water")
TEXTS = [f"{one} {other}" for one, other in pairwise([FIBRES, WEIGHT, INK] * 3)]
ROWS = TABLE_ROWS + tuple(
    (f"Grade {at}", f"{at * 70}", f"{at}5.00", f"{at} %") for at in range(1, 9)
)


def furnish(canvas: Canvas, template: BaseDocTemplate) -> None:
    canvas.setFont("Helvetica", 9)
    canvas.drawString(64, 800, HEADERS[template.page % 2])
    canvas.drawCentredString(A4[0] / 2, 40, f"{template.page + 11}")


def a_report() -> bytes:
    """Return pages of little text, with headers and page numbers."""
    output = io.BytesIO()
    template = BaseDocTemplate(output, pagesize=A4, invariant=1)
    frame = Frame(64, 600, A4[0] - 128, 160, leftPadding=0, rightPadding=0)
    template.addPageTemplates(PageTemplate("page", [frame], onPage=furnish))
    table = Table([[*row] for row in ROWS], style=GRID, repeatRows=1)
    template.build([*(Paragraph(text, BODY) for text in TEXTS), table])
    return output.getvalue()


@pytest.fixture(scope="module")
def pages(engine: RapidOcrEngine) -> list[OutputPage]:
    document = PdfPages(a_report(), None, LIMITS)
    pages = []
    for index in range(document.count):
        picture = document.picture(index)
        pixels = np.frombuffer(picture.rgb, np.uint8).reshape(picture.height, picture.width, 3)
        result = engine.parse(PageImage(index, pixels, DPI), ParseOptions(1))
        pages.append(page_of_result(index, picture.width, picture.height, result))
    return pages


def test_headers_and_page_numbers_are_found_and_nothing_else(pages: list[OutputPage]) -> None:
    found = furniture(pages)
    texts = [[page.blocks[at].text for at in sorted(found[page.index])] for page in pages]
    assert len(pages) >= 6
    assert texts == [[HEADERS[(index + 1) % 2], f"{index + 12}"] for index in range(len(pages))]


def test_paragraphs_and_the_table_are_whole(pages: list[OutputPage]) -> None:
    joiner = Joiner(headers_footers=HeadersFooters.DROP)
    text = "".join(joined_text(pages, joiner, furniture(pages)))
    assert {join.is_table for join in joiner.joins} == {True, False}
    paragraphs = [plain_text(part) for part in text.split("\n\n") if not part.startswith("|")]
    assert len(paragraphs) == len(TEXTS)
    assert [paragraph[:20] for paragraph in paragraphs] == [part[:20] for part in TEXTS]
    assert text.count("Mass (t)") == 1
    assert plain_text(text).replace(" %", "%").endswith("Grade 8 560 85.00 8%")

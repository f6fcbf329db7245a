"""The golden documents of `examples/golden`: small grey images whose Markdown is known.

Run as a program it writes them to a directory. All of them together fit into a ConfigMap.
"""

import sys
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

import pypdfium2  # type: ignore[import-untyped]
from docparser_runtime.layout import markdown
from PIL import Image
from reportlab.lib.pagesizes import A5
from reportlab.lib.styles import ParagraphStyle
from reportlab.platypus import Flowable, Frame, Paragraph
from support.sample_document import Column, canvas_pdf, fill, ruled_table

DPI = 144
"""As the runtime draws PDF pages by default."""

LETTER_TITLE = "To the Keeper of the Lighthouse"
LETTER = (
    (
        "Dear Madam, the lamp that you ordered on 14 March has left our workshop. It weighs 38 "
        "kilograms and travels in three crates, each marked with a red ring."
    ),
    (
        "Please keep the lens away from direct sunlight until it is mounted. Last summer a lens "
        "of the same size set fire to a curtain, a chair and half of a library."
    ),
    (
        "The invoice of 1,275.50 EUR is payable within thirty days. Should a crate arrive "
        "damaged, do not open it; write to us at once and we shall send another by the next boat."
    ),
)
PRICES_TITLE = "Prices of the Harbour Bakery"
PRICES_INTRODUCTION = "Valid from the first of May. All prices include tax and a paper bag."
PRICES = (
    ("Item", "Weight", "Price", "Days"),
    ("Rye loaf", "1,000 g", "4.80", "daily"),
    ("Walnut bread", "750 g", "5.95", "Friday"),
    ("Raisin bun", "90 g", "1.20", "daily"),
    ("Plum cake", "1,400 g", "18.50", "Sunday"),
    ("Ship biscuit", "250 g", "3.10", "Monday"),
)
NEWS_TITLE = "The Island Messenger"
NEWS = (
    (
        "The ferry will not run on Tuesday, because its captain is getting married on board.",
        "Guests without a ticket are asked to row. Boats may be tied up at the northern pier.",
        "The school choir sings at noon and again, by request of the bride, much later.",
    ),
    (
        "The weather office expects fog in the morning and a fresh wind from the west by night.",
        "Two sheep have been found behind the post office. One of them wears a bell of brass.",
        "The owner may collect both from the garden, where they have eaten all the lettuce.",
    ),
)

_WIDTH, _HEIGHT = A5
_MARGIN = 36
_GUTTER = 20
_TITLE_HEIGHT = 40
_BODY = ParagraphStyle("body", fontName="Times-Roman", fontSize=11, leading=14, spaceAfter=8)
_TITLE = ParagraphStyle("title", fontName="Helvetica-Bold", fontSize=19, leading=24)


def golden_documents() -> dict[str, tuple[bytes, str]]:
    """Return image (PNG) and Markdown of each document by name."""
    letter = _column(0, 1, LETTER)
    prices = (
        Paragraph(PRICES_INTRODUCTION, _BODY),
        ruled_table(PRICES),
    )
    news = [column for number in range(2) for column in _column(number, 2, NEWS[number])]
    return {
        "plain_text__letter": (
            _image(LETTER_TITLE, letter),
            _text(markdown.heading(LETTER_TITLE, 1), *LETTER),
        ),
        "table__prices": (
            _image(PRICES_TITLE, [(_frame(0, 1), prices)]),
            _text(markdown.heading(PRICES_TITLE, 1), PRICES_INTRODUCTION, markdown.table(PRICES)),
        ),
        "multi_column__news": (
            _image(NEWS_TITLE, news),
            _text(markdown.heading(NEWS_TITLE, 1), *NEWS[0], *NEWS[1]),
        ),
    }


def write(directory: Path) -> None:
    """Write all documents as pairs of files."""
    for name, (image, text) in golden_documents().items():
        (directory / f"{name}.png").write_bytes(image)
        (directory / f"{name}.md").write_text(text)


def _text(*blocks: str) -> str:
    return "\n\n".join(blocks) + "\n"


def _frame(number: int, count: int) -> Frame:
    """Return the `number`th of `count` columns below the title."""
    width = (_WIDTH - 2 * _MARGIN - _GUTTER * (count - 1)) / count
    left = _MARGIN + number * (width + _GUTTER)
    height = _HEIGHT - 2 * _MARGIN - _TITLE_HEIGHT
    return Frame(left, _MARGIN, width, height, leftPadding=0, rightPadding=0)


def _column(number: int, count: int, texts: Sequence[str]) -> list[Column]:
    flowables: list[Flowable] = [Paragraph(text, _BODY) for text in texts]
    return [(_frame(number, count), flowables)]


def _image(title: str, columns: Sequence[Column]) -> bytes:
    top = _HEIGHT - _MARGIN - _TITLE_HEIGHT
    frame = Frame(_MARGIN, top, _WIDTH - 2 * _MARGIN, _TITLE_HEIGHT, leftPadding=0, topPadding=0)
    content = canvas_pdf(
        lambda canvas, _: fill([(frame, [Paragraph(title, _TITLE)]), *columns], canvas),
        page_size=A5,
    )
    (page,) = pypdfium2.PdfDocument(content)
    pixels = page.render(scale=DPI / 72, grayscale=True).to_numpy()
    buffer = BytesIO()
    Image.fromarray(pixels.squeeze()).save(buffer, "PNG", optimize=True, dpi=(DPI, DPI))
    return buffer.getvalue()


if __name__ == "__main__":
    write(Path(sys.argv[1]))

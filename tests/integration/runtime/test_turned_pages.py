"""Pages that lie on a side, stand on their head or askew are read as well as upright ones."""

import random
from collections.abc import Callable

import cv2
import numpy as np
import pypdfium2  # type: ignore[import-untyped]
import pytest
from docparser_runtime.engine.base import Box, PageImage, PageResult, ParseOptions
from docparser_runtime.engine.rapidocr import RapidOcrEngine
from numpy.typing import NDArray
from reportlab.pdfgen.canvas import Canvas
from support.sample_document import (
    INK,
    THREE_COLUMN_PAGE,
    canvas_pdf,
    character_error_rate,
    three_column_pdf,
)

Pixels = NDArray[np.uint8]

MOST_WORSE = 0.005
"""Errors per letter that a turn may add."""
OPTIONS = ParseOptions(max_new_tokens=1)
SIZE = (460, 300)
WORDS = INK.replace(",", "").replace(".", "").split()


def drawn(content: bytes) -> Pixels:
    page = pypdfium2.PdfDocument(content)[0]
    return np.asarray(page.render(scale=2, rev_byteorder=True).to_numpy().copy(), np.uint8)


def page_of(lines: list[str], font: str, size: float) -> tuple[Pixels, str]:
    def draw(canvas: Canvas, _index: int) -> None:
        canvas.setFont(font, size)
        for position, line in enumerate(lines):
            canvas.drawString(36, SIZE[1] - 50 - 1.6 * size * position, line)

    return drawn(canvas_pdf(draw, page_size=SIZE)), "\n".join(lines)


def pages() -> dict[str, tuple[Pixels, str]]:
    """Return pages of every kind that may look alike from another side, with their texts."""
    pick = random.Random(5)  # noqa: S311 - nothing secret
    numbers = ["".join(pick.choices("16890", k=8)) for _ in range(8)]
    words = [" ".join(pick.choices(WORDS, k=7)) for _ in range(12)]
    return {
        "columns": (drawn(three_column_pdf())[:480], THREE_COLUMN_PAGE),
        "prose": page_of(words, "Times-Roman", 11),
        "small": page_of([line * 2 for line in words], "Times-Italic", 7),
        "capitals": page_of([line.upper()[:40] for line in words[:6]], "Helvetica-Bold", 13),
        "numbers": page_of(numbers, "Helvetica", 12),
        "short lines": page_of([word for word in WORDS[:12] if len(word) > 2], "Courier", 11),
        "two words": page_of(["Annual Report"], "Helvetica-Bold", 30),
    }


PAGES = pages()


def skewed(pixels: Pixels, degrees: float) -> Pixels:
    """Return the page turned clockwise by `degrees`, with what the paper leaves free in white."""
    height, width = pixels.shape[:2]
    turn = cv2.getRotationMatrix2D((width / 2, height / 2), -degrees, 1)
    corners = (width, height)
    return np.asarray(cv2.warpAffine(pixels, turn, corners, borderValue=(255, 255, 255)), np.uint8)


def read(engine: RapidOcrEngine, pixels: Pixels) -> PageResult:
    return engine.parse(PageImage(0, np.ascontiguousarray(pixels)), OPTIONS)


@pytest.fixture(scope="module")
def upright(engine: RapidOcrEngine) -> dict[str, PageResult]:
    return {name: read(engine, pixels) for name, (pixels, _) in PAGES.items()}


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize(
    ("turn", "degrees"),
    [
        pytest.param(lambda pixels: np.rot90(pixels, 1), 90, id="on the left side"),
        pytest.param(lambda pixels: np.rot90(pixels, 2), 180, id="on its head"),
        pytest.param(lambda pixels: np.rot90(pixels, 3), -90, id="on the right side"),
        pytest.param(lambda pixels: skewed(pixels, 5), -5, id="askew"),
        pytest.param(lambda pixels: skewed(pixels, -2), 2, id="a little askew"),
        pytest.param(lambda pixels: np.rot90(skewed(pixels, 2)), 88, id="askew on a side"),
    ],
)
def test_a_turned_page_is_read_as_well(
    engine: RapidOcrEngine,
    upright: dict[str, PageResult],
    name: str,
    turn: Callable[[Pixels], Pixels],
    degrees: float,
) -> None:
    pixels, text = PAGES[name]
    result = read(engine, turn(pixels))
    errors = [character_error_rate(text, page.markdown) for page in (upright[name], result)]
    print(f"{name}: {errors[0]:.2%} upright, {errors[1]:.2%} turned")
    assert errors[1] <= errors[0] + MOST_WORSE
    # Where lines are short or letters large, a small angle cannot be told and does not matter.
    tolerance = 2.1 if name in ("numbers", "short lines", "two words") else 0.5
    assert result.rotation_degrees == pytest.approx(degrees, abs=tolerance)


@pytest.mark.parametrize("name", PAGES)
def test_an_upright_page_is_not_turned(upright: dict[str, PageResult], name: str) -> None:
    assert upright[name].rotation_degrees == 0
    assert character_error_rate(PAGES[name][1], upright[name].markdown) <= 0.01


@pytest.mark.parametrize("quarters", [1, 2, 3])
def test_boxes_lie_on_the_page_as_it_came(
    engine: RapidOcrEngine, upright: dict[str, PageResult], quarters: int
) -> None:
    pixels, _ = PAGES["columns"]
    turned = read(engine, np.rot90(pixels, quarters))
    height, width = pixels.shape[:2]
    assert len(turned.blocks) == len(upright["columns"].blocks)
    for block, other in zip(upright["columns"].blocks, turned.blocks, strict=True):
        assert block.text == other.text
        back = other.box
        for present_height in (width, height, width)[-quarters:]:
            # A quarter clockwise: what was at the left is at the top.
            left, right = present_height - back.bottom, present_height - back.top
            back = Box(left, back.left, right, back.right)
        assert vars(back) == pytest.approx(vars(block.box), abs=4)

"""The part of a page's content that says its text and shows nothing."""

import unicodedata
from collections.abc import Iterable

from docparser_runtime.outputs.invisible_font import InvisibleFont
from docparser_runtime.outputs.letter_widths import text_width
from docparser_runtime.outputs.page_space import PageSpace
from docparser_runtime.outputs.page_text import Rectangle
from docparser_runtime.outputs.placing import PlacedLine
from docparser_runtime.outputs.visual_order import visual_order

FONT = "/DocParserInvisible"
_JOINERS = "\u200c\u200d"
_UNSAID = ("Cc", "Cf", "Cs")
"""Control characters, marks of direction and halves of characters: no reader wants them copied."""
_INVISIBLE = 3


def layer(
    lines: Iterable[PlacedLine], size: tuple[int, int], space: PageSpace, font: InvisibleFont
) -> bytes:
    """Return the drawing of `lines`, which stand on a picture of `size` of the page in `space`."""
    width, height = space.size
    x_scale, y_scale = width / size[0], height / size[1]
    parts = [f"q {_numbers(*space.matrix)} cm {_INVISIBLE} Tr"]
    for line in lines:
        left, top, right, bottom = line.box
        shown = (left * x_scale, height - bottom * y_scale, right * x_scale, height - top * y_scale)
        parts.extend(_drawn(line, shown, font))
    return "\n".join([*parts, "Q\n"]).encode("ascii")


def _drawn(line: PlacedLine, shown: Rectangle, font: InvisibleFont) -> Iterable[str]:
    """Yield the drawing of a line; `shown` is its left, bottom, right and top in points."""
    text = _said(line.text)
    left, bottom, right, top = shown
    across, upward = right - left, top - bottom
    length, size = (upward, across) if line.quarters % 2 else (across, upward)
    width = text_width(text)
    if not text or width <= 0 or size <= 0 or length <= 0:
        return
    # Letters stand on the side of the box that is below them, and run along it.
    turn = (
        (1, 0, 0, 1, left, bottom),
        (0, 1, -1, 0, right, bottom),
        (-1, 0, 0, -1, right, top),
        (0, -1, 1, 0, left, top),
    )[line.quarters]
    codes = font.encoded(visual_order(text)).hex()
    stretch = 100 * length / (size * width)
    yield (
        f"BT {FONT} {_numbers(size)} Tf {_numbers(stretch)} Tz {_numbers(*turn)} Tm <{codes}> Tj ET"
    )


def _said(text: str) -> str:
    kept = "".join(
        letter
        for letter in " ".join(text.split())
        if letter in _JOINERS or unicodedata.category(letter) not in _UNSAID
    )
    return kept.strip()


def _numbers(*values: float) -> str:
    return " ".join(f"{value:.4f}".rstrip("0").rstrip(".") for value in values)

"""Where each line of a page's text stands, from its passages and the picture of the page.

A passage is known with its text and its box only. Its lines are found in the picture and its words
are dealt out to them. Where the picture says nothing, lines of equal height are assumed.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from PIL import Image

from docparser_runtime.outputs.ink_lines import Line, ink_lines
from docparser_runtime.outputs.letter_widths import text_width
from docparser_runtime.outputs.line_breaks import broken
from docparser_runtime.outputs.page_text import PageText, Passage, Rectangle

LEAST_FIT, MOST_FIT = 0.4, 2.5
"""Ratio of the seen length of all lines to that which the text should have in type of that size."""
_INK_OF_EM = 0.85
"""Height of a line's ink as a share of the type size."""
_LEADING = 1.25
_INK_OF_LEADING = 0.8
_CELL_MARGIN = 1.0
"""White space of a table's column, in ems."""
_INK_OF_ROW = 0.6


@dataclass(frozen=True)
class PlacedLine:
    """A line of text on the page's picture.

    Attributes:
        text: what it says.
        box: in pixels.
        quarters: by how many right angles it is turned counterclockwise; 1 reads upwards.
    """

    text: str
    box: Rectangle
    quarters: int


@dataclass(frozen=True)
class _Seen:
    """A passage with what the picture shows of it.

    Attributes:
        is_sideways: whether its lines run upwards or downwards; None if they do not tell.
    """

    passage: Passage
    picture: Image.Image
    is_sideways: bool | None


def placed_lines(page: PageText, picture: Image.Image) -> list[PlacedLine]:
    """Return the lines of `page`, whose `picture` is grey and has the page's size."""
    seen = [
        _seen(passage, picture)
        for passage in page.passages
        if passage.text.strip() and _area(passage.box, picture.size) is not None
    ]
    level, sideways = _turns(seen)
    # What does not tell how it stands, such as a table, stands as most of the page.
    mostly = sum(_weight(one) for one in seen) > 0
    return [
        line
        for one in seen
        for line in _lines(
            one,
            sideways if (mostly if one.is_sideways is None else one.is_sideways) else level,
            picture.size,
        )
        if line.text
    ]


def _weight(seen: _Seen) -> int:
    """Return the length of a passage: above 0 if it lies on its side, below if it is level."""
    return {None: 0, True: 1, False: -1}[seen.is_sideways] * len(seen.passage.text)


def _area(box: Rectangle, size: tuple[int, int]) -> tuple[int, int, int, int] | None:
    """Return the pixels that `box` touches; None if there are none."""
    if not all(map(math.isfinite, box)):
        return None
    left, top = max(0, math.floor(box[0])), max(0, math.floor(box[1]))
    right, bottom = min(size[0], math.ceil(box[2])), min(size[1], math.ceil(box[3]))
    return (left, top, right, bottom) if left < right and top < bottom else None


def _seen(passage: Passage, picture: Image.Image) -> _Seen:
    part = picture.crop(_area(passage.box, picture.size))
    if passage.is_table or len(passage.text) <= 1:
        return _Seen(passage, part, is_sideways=None)
    level = _misfit(ink_lines(part), passage.text)
    aside = _misfit(ink_lines(part.transpose(Image.Transpose.ROTATE_90)), passage.text)
    return _Seen(passage, part, is_sideways=None if level == aside else aside < level)


def _misfit(lines: Sequence[Line], text: str) -> float:
    """Return how far the length of `lines` is from that of `text`, 0 if they are equal."""
    if not lines:
        return math.inf
    em = median(line.bottom - line.top for line in lines) / _INK_OF_EM
    length = sum(line.right - line.left for line in lines)
    return abs(math.log(length / (em * max(text_width(text), 1 / 4))))


def _turns(seen: Sequence[_Seen]) -> tuple[int, int]:
    """Return by how many right angles level and sideways passages are turned.

    The order of passages tells whether a page is upside down, and to which side it lies.
    """
    level = [one.passage.box for one in seen if one.is_sideways is False]
    aside = [one.passage.box for one in seen if one.is_sideways]
    downward = sum(_sign(after[1] - before[1]) for before, after in pairwise(level))
    rightward = sum(_sign(after[0] - before[0]) for before, after in pairwise(aside))
    return 2 if downward < 0 else 0, 3 if rightward < 0 else 1


def _sign(value: float) -> int:
    return (value > 0) - (value < 0)


def _lines(seen: _Seen, quarters: int, size: tuple[int, int]) -> Iterator[PlacedLine]:
    passage = seen.passage
    area = _area(passage.box, size)
    if area is None:
        return
    left, top, right, bottom = area
    width, height = right - left, bottom - top
    upright = (height, width) if quarters % 2 else (width, height)
    for text, line in _upright_lines(seen, quarters, upright):
        box = _turned(line, quarters, width, height)
        yield PlacedLine(text, _moved(box, left, top), quarters)


def _upright_lines(seen: _Seen, quarters: int, size: tuple[int, int]) -> Iterator[tuple[str, Line]]:
    """Yield the lines of a passage as they stand once its picture, then of `size`, is upright."""
    text = seen.passage.text
    if seen.passage.is_table:
        yield from _cells(text, *size)
        return
    found = ink_lines(_upright(seen.picture, quarters))
    if not math.log(LEAST_FIT) <= -_misfit(found, text) or not found:
        found = _even_lines(text, *size)
    lengths = [line.right - line.left for line in found]
    yield from zip(broken(text, lengths), found, strict=True)


def _upright(picture: Image.Image, quarters: int) -> Image.Image:
    turn = {
        1: Image.Transpose.ROTATE_270,
        2: Image.Transpose.ROTATE_180,
        3: Image.Transpose.ROTATE_90,
    }.get(quarters)
    return picture if turn is None else picture.transpose(turn)


def _turned(line: Line, quarters: int, width: int, height: int) -> Rectangle:
    """Return the box of a line of the upright picture in the one that came, `width` by `height`."""
    return (
        (line.left, line.top, line.right, line.bottom),
        (line.top, height - line.right, line.bottom, height - line.left),
        (width - line.right, height - line.bottom, width - line.left, height - line.top),
        (width - line.bottom, line.left, width - line.top, line.right),
    )[quarters]


def _moved(box: Rectangle, dx: float, dy: float) -> Rectangle:
    return box[0] + dx, box[1] + dy, box[2] + dx, box[3] + dy


def _even_lines(text: str, width: float, height: float) -> list[Line]:
    """Return equally high lines that fill a box, as many as the text needs in the largest type."""
    count = max(1, round(math.sqrt(text_width(text) * height / (_LEADING * width))))
    pitch = height / count
    ink = pitch if count == 1 else pitch * _INK_OF_LEADING
    return [Line(0, at * pitch, width, at * pitch + ink) for at in range(count)]


def _cells(text: str, width: float, height: float) -> Iterator[tuple[str, Line]]:
    """Yield the cells of a table with equally high rows and columns as wide as their texts ask."""
    rows = [row.split("\t") for row in text.split("\n")]
    columns = max(len(row) for row in rows)
    needs = [
        _CELL_MARGIN + max(text_width(row[at]) if at < len(row) else 0 for row in rows)
        for at in range(columns)
    ]
    pitch, em = height / len(rows), width / sum(needs)
    for number, row in enumerate(rows):
        left = 0.0
        for cell, need in zip(row, needs, strict=False):
            top = (number + (1 - _INK_OF_ROW) / 2) * pitch
            start = left + _CELL_MARGIN / 2 * em
            length = min(text_width(cell) * em, (need - _CELL_MARGIN / 2) * em)
            yield cell.strip(), Line(start, top, start + length, top + pitch * _INK_OF_ROW)
            left += need * em

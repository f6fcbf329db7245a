"""Bullets in front of list items. The networks take them for specks and leave them out."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from docparser_runtime.engine.ink import ink_of, runs_of
from docparser_runtime.layout.lines import TextLine
from docparser_runtime.layout.paragraphs import is_item

BULLET = "•"
REACH = 2.5
"""Farthest distance of a bullet from its text, in ems."""
LEAST_GAP = 0.25
"""White space at both sides of a bullet, in ems."""
SIZES = (0.15, 0.65)
"""Smallest and largest width and height of a bullet, in ems."""
HEIGHTS = (0.12, 0.55)
"""Lowest and highest middle of a bullet above the baseline, in ems."""
LEAST_FILL = 0.7
"""Share of its box that ink fills: a disc 0.79, a letter less."""


def with_bullets(lines: Sequence[TextLine], pixels: NDArray[np.uint8]) -> list[TextLine]:
    """Return the lines of the page `pixels` with a bullet in the text where the page has one."""
    return [_with_bullet(line, pixels) for line in lines]


def _with_bullet(line: TextLine, pixels: NDArray[np.uint8]) -> TextLine:
    em = line.size
    left = max(0, round(line.box.left - REACH * em))
    right = min(pixels.shape[1], round(line.box.left + REACH * em))
    top = max(0, round(line.baseline - 0.9 * em))
    bottom = min(pixels.shape[0], round(line.baseline + 0.1 * em))
    if is_item(line.text) or right - left < em or bottom - top < em / 2:
        return line
    ink = ink_of(pixels[top:bottom, left:right])
    runs = [(-round(em), 0), *runs_of(np.asarray(ink.any(axis=0)))]
    for before, run, after in zip(runs, runs[1:], runs[2:], strict=False):
        # The line's box may hold the bullet already, but then it begins with it.
        if left + run[0] > line.box.left + LEAST_GAP * em:
            break
        gap = min(run[0] - before[1], after[0] - run[1])
        if gap >= LEAST_GAP * em and _is_bullet(ink[:, run[0] : run[1]], em, line.baseline - top):
            box = replace(line.box, left=float(min(line.box.left, left + run[0])))
            return replace(line, text=f"{BULLET} {line.text}", box=box)
    return line


def _is_bullet(ink: NDArray[np.bool_], em: float, baseline: float) -> bool:
    """Whether what is in these columns is a blob at the height of small letters."""
    ((start, end), *more) = runs_of(np.asarray(ink.any(axis=1)))
    height, width = end - start, ink.shape[1]
    least, most = SIZES[0] * em, SIZES[1] * em
    middle = (baseline - (start + end) / 2) / em
    return (
        not more
        and least <= height <= most
        and least <= width <= most
        and HEIGHTS[0] <= middle <= HEIGHTS[1]
        and float(ink[start:end].mean()) >= LEAST_FILL
    )

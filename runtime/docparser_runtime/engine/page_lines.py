"""The text lines of a page, read one by one."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from docparser_runtime.engine.base import Box
from docparser_runtime.engine.bullets import with_bullets
from docparser_runtime.engine.detection import TextRegion
from docparser_runtime.engine.ink import line_image, text_line
from docparser_runtime.engine.recognition import Recognizer
from docparser_runtime.engine.turning import View
from docparser_runtime.layout.lines import TextLine, mean_confidence
from docparser_runtime.layout.rules import Grid, grids, pieces

LEAST_CONFIDENCE = 0.5
"""Lines that are read with less are specks and pictures."""
LEVEL_PIXELS = 3.0
"""Lines that rise by more over their length are not cut at the walls of tables."""
_SAMPLE = 8
"""Lines that are read to find out which side of a page is up."""


@dataclass(frozen=True)
class PageLines:
    """What was read of one view of a page."""

    view: View
    grids: Sequence[Grid]
    lines: Sequence[TextLine]

    @property
    def confidence(self) -> float:
        """Mean confidence of the letters; 0 when there are none."""
        return mean_confidence(self.lines)


def page_lines(view: View, recognizer: Recognizer) -> PageLines:
    """Return all that stands on a view that is upright."""
    tables = grids(np.asarray(cv2.cvtColor(view.pixels, cv2.COLOR_BGR2GRAY), np.uint8))
    regions = [part for region in view.regions for part in _cut(region, tables)]
    lines = with_bullets(_lines(view.pixels, regions, recognizer), view.pixels)
    return PageLines(view, tables, lines)


def sample_confidence(view: View, recognizer: Recognizer) -> float:
    """Return how well the longest lines of a view can be read."""
    longest = sorted(view.regions, key=_length, reverse=True)[:_SAMPLE]
    return mean_confidence(_lines(view.pixels, longest, recognizer))


def _lines(
    pixels: NDArray[np.uint8], regions: Sequence[TextRegion], recognizer: Recognizer
) -> list[TextLine]:
    images = [line_image(pixels, region.corners) for region in regions]
    readings = recognizer.readings(images)
    return [
        text_line(image, region.corners, text, confidence)
        for image, region, (text, confidence) in zip(images, regions, readings, strict=True)
        if text and confidence >= LEAST_CONFIDENCE
    ]


def _cut(region: TextRegion, tables: Sequence[Grid]) -> Iterator[TextRegion]:
    """Yield the parts of a region that the walls of tables make of it."""
    (left, top), (right, bottom) = region.corners.min(axis=0), region.corners.max(axis=0)
    box = Box(float(left), float(top), float(right), float(bottom))
    inside = [grid for grid in tables if _holds(grid.box, box)]
    if not inside or abs(float(region.corners[1, 1] - region.corners[0, 1])) > LEVEL_PIXELS:
        yield region
        return
    for part in pieces(box, inside[0]):
        corners = [
            (part.left, part.top),
            (part.right, part.top),
            (part.right, part.bottom),
            (part.left, part.bottom),
        ]
        yield TextRegion(np.array(corners, np.float32), region.score)


def _holds(outer: Box, inner: Box) -> bool:
    x, y = (inner.left + inner.right) / 2, (inner.top + inner.bottom) / 2
    return outer.left <= x < outer.right and outer.top <= y < outer.bottom


def _length(region: TextRegion) -> float:
    return math.dist(region.corners[0], region.corners[1])

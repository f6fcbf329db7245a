"""Pages that stand askew or lie on a side, turned upright before they are read."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import cv2
import numpy as np
from numpy.typing import NDArray

from docparser_runtime.engine.base import Box
from docparser_runtime.engine.detection import TextRegion, clockwise

Pixels = NDArray[np.uint8]

LEAST_SKEW_DEGREES = 0.3
MOST_SKEW_DEGREES = 20.0
LEAST_RISE = 5.0
"""Pixels by which the longest line must rise or fall: letters alone make a line seem to."""
LEAST_RISE_OF_HEIGHT = 0.15
"""The same as a share of its height: large letters do more."""
LEAST_ASPECT = 3.0
"""Only regions this much wider than high say something about the skew."""
UPRIGHT_ASPECT = 1.5
MOSTLY = 0.6
"""Share of the text that must stand upright for the page to lie on a side."""
_QUARTERS = {
    90: cv2.ROTATE_90_COUNTERCLOCKWISE,
    180: cv2.ROTATE_180,
    270: cv2.ROTATE_90_CLOCKWISE,
}


@dataclass(frozen=True)
class View:
    """A page as it is read, and the way back to the page as it came.

    Attributes:
        pixels: BGR.
        regions: its lines.
        to_page: (2, 3) matrix from points of the view to points of the page.
    """

    pixels: Pixels
    regions: Sequence[TextRegion]
    to_page: NDArray[np.float64]

    def turned(self, degrees: float) -> "View":
        """Return the view turned counterclockwise, on a canvas that holds all of it."""
        height, width = self.pixels.shape[:2]
        center = ((width - 1) / 2, (height - 1) / 2)
        turn = np.asarray(cv2.getRotationMatrix2D(center, degrees, 1), np.float64)
        cosine, sine = abs(turn[0, 0]), abs(turn[0, 1])
        size = (round(height * sine + width * cosine), round(height * cosine + width * sine))
        turn[:, 2] += [(size[0] - width) / 2, (size[1] - height) / 2]
        back = _after(self.to_page, np.asarray(cv2.invertAffineTransform(turn), np.float64))
        return View(_turned_pixels(self.pixels, turn, size, degrees), self._moved(turn), back)

    @property
    def clockwise_degrees(self) -> float:
        """By how much the page was turned clockwise, from -180 (not included) to 180."""
        # The way back turns an arrow to the right the other way.
        degrees = math.degrees(math.atan2(-self.to_page[1, 0], self.to_page[0, 0]))
        return 180.0 if round(degrees, 1) <= -180 else round(degrees, 1) + 0.0  # noqa: PLR2004

    def box_on_page(self, box: Box, width: int, height: int) -> Box:
        """Return the box on the page of this size that encloses `box` of the view."""
        corners = np.array(
            [
                (box.left, box.top),
                (box.right, box.top),
                (box.right, box.bottom),
                (box.left, box.bottom),
            ]
        )
        points = corners @ self.to_page[:, :2].T + self.to_page[:, 2]
        points = np.clip(points, 0, [width, height])
        (left, top), (right, bottom) = points.min(axis=0), points.max(axis=0)
        return Box(*(round(float(value), 1) for value in (left, top, right, bottom)))

    def _moved(self, turn: NDArray[np.float64]) -> list[TextRegion]:
        return [
            TextRegion(
                clockwise(np.asarray(region.corners @ turn[:, :2].T + turn[:, 2], np.float32)),
                region.score,
            )
            for region in self.regions
        ]


def view_of(pixels: Pixels, regions: Sequence[TextRegion]) -> View:
    """Return the page as it came."""
    return View(pixels, regions, np.eye(2, 3))


def leveled(view: View) -> View:
    """Return the view turned so that its lines do not rise or fall."""
    skew = skew_degrees(view.regions)
    return view.turned(skew) if LEAST_SKEW_DEGREES <= abs(skew) <= MOST_SKEW_DEGREES else view


def lies_on_side(regions: Sequence[TextRegion]) -> bool:
    """Whether most of the text, by length, runs upwards or downwards."""
    sizes = [_size(region) for region in regions]
    total = sum(max(size) for size in sizes)
    on_side = sum(height for width, height in sizes if height >= UPRIGHT_ASPECT * width)
    return total > 0 and on_side >= MOSTLY * total


def skew_degrees(regions: Sequence[TextRegion]) -> float:
    """Return by how much the lines fall to the right: their median, the longer weighing more.

    It is 0 when the lines are too short to tell.
    """
    angles = []
    for region in regions:
        width, height = _size(region)
        if width >= LEAST_ASPECT * height:
            dx, dy = region.corners[1] - region.corners[0]
            angles.append((float(np.arctan2(dy, dx)), width, height))
    angles.sort()
    half = sum(width for _, width, _ in angles) / 2
    for angle, width, _ in angles:
        half -= width
        if half <= 0:
            _, longest, height = max(angles, key=lambda line: line[1])
            least = max(LEAST_RISE, LEAST_RISE_OF_HEIGHT * height)
            return math.degrees(angle) if abs(angle) * longest >= least else 0.0
    return 0.0


def _size(region: TextRegion) -> tuple[float, float]:
    across, down = region.corners[1] - region.corners[0], region.corners[3] - region.corners[0]
    return float(np.linalg.norm(across)), float(np.linalg.norm(down))


def _turned_pixels(
    pixels: Pixels, turn: NDArray[np.float64], size: tuple[int, int], degrees: float
) -> Pixels:
    if degrees in _QUARTERS:
        return cast("Pixels", cv2.rotate(pixels, _QUARTERS[int(degrees)]))
    return cast(
        "Pixels",
        cv2.warpAffine(pixels, turn, size, flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE),
    )


def _after(second: NDArray[np.float64], first: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the transformation that is `first` and then `second`."""
    return np.hstack(
        (second[:, :2] @ first[:, :2], (second[:, :2] @ first[:, 2] + second[:, 2])[:, np.newaxis])
    )

"""Where text stands on a page: the detector's network and the reading of its answer.

The network writes a map of how likely each pixel is inside of a shrunken line
of text. Lines are found in it as in "Real-time Scene Text Detection with
Differentiable Binarization" (Liao et al., AAAI 2020): threshold, contours,
mean probability as score, then the boxes are grown back by a fixed ratio of
area to perimeter.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np
import onnxruntime  # type: ignore[import-untyped]
from numpy.typing import NDArray

PIXEL_THRESHOLD = 0.3
"""Probability from which a pixel counts as text."""
LINE_THRESHOLD = 0.5
"""Mean probability from which a region counts as a line."""
GROWTH = 1.6
"""How far a box is grown back, as a share of its area divided by its perimeter."""
END_MARGIN = 0.08
"""What is added at both ends of a line, as a share of its height."""
SMALLEST_SIDE = 3
"""Regions thinner than this, in pixels of the map, are specks."""
LEAST_ASPECT = 3.0
"""Regions that are less longish than this are taken as level: their slope is chance."""
MOST_LINES = 5000
"""More regions than any page has; a bound for pages of noise."""
FULL_SIDE = 1400
"""Longer pages are scaled down to this, in pixels: 6 pt text on A4 is still found."""
LEAST_SCALE = 0.5
"""Pages are not scaled down further: what has more pixels was scanned with more detail."""
TILE_SIDE = 1760
"""Larger pages go through the network in tiles, which bounds its memory."""
TILE_MARGIN = 96
"""Surroundings of a tile that the network sees as well, so that seams do not show."""
STRIDE = 32
"""The network takes sides that are multiples of this."""


@dataclass(frozen=True)
class TextRegion:
    """A line of text as a rectangle that may be turned.

    Attributes:
        corners: (4, 2) in pixels of the page, clockwise from the text's top left.
        score: how sure the detector is, 0 to 1.
    """

    corners: NDArray[np.float32]
    score: float


class Detector:
    """Finds lines of text. May be called from several threads at once."""

    def __init__(self, session: onnxruntime.InferenceSession) -> None:
        self._session = session
        self._input = session.get_inputs()[0].name

    def regions(self, pixels: NDArray[np.uint8]) -> list[TextRegion]:
        """Return the lines of the BGR image `pixels`, in no particular order."""
        height, width = pixels.shape[:2]
        scaled = _scaled(pixels)
        probability = np.empty(scaled.shape[:2], np.float32)
        for tile, seen in tiles(*scaled.shape[:2]):
            top, left = tile[0].start - seen[0].start, tile[1].start - seen[1].start
            rows, columns = tile[0].stop - tile[0].start, tile[1].stop - tile[1].start
            answer = self._probability(scaled[seen])
            probability[tile] = answer[top : top + rows, left : left + columns]
        scale = np.array([width / scaled.shape[1], height / scaled.shape[0]], np.float32)
        limit = np.array([width, height], np.float32)
        return [
            TextRegion(np.clip(region.corners * scale, 0, limit), region.score)
            for region in regions_of(probability)
        ]

    def _probability(self, pixels: NDArray[np.uint8]) -> NDArray[np.float32]:
        batch = ((pixels.astype(np.float32) / 255 - 0.5) / 0.5).transpose(2, 0, 1)[np.newaxis]
        answer = self._session.run(None, {self._input: np.ascontiguousarray(batch)})[0]
        return np.asarray(answer[0, 0], np.float32)


Window = tuple[slice, slice]


def tiles(height: int, width: int) -> Iterator[tuple[Window, Window]]:
    """Yield windows that cover an image without overlap, each with what is to be seen for it.

    All sides are multiples of `STRIDE` if those of the image are.
    """
    rows, columns = _spans(height), _spans(width)
    for row, seen_row in rows:
        for column, seen_column in columns:
            yield (row, column), (seen_row, seen_column)


def _spans(length: int) -> list[tuple[slice, slice]]:
    count = math.ceil(length / TILE_SIDE)
    step = math.ceil(length / count / STRIDE) * STRIDE
    spans = []
    for start in range(0, length, step):
        end = min(start + step, length)
        seen = slice(max(0, start - TILE_MARGIN), min(length, end + TILE_MARGIN))
        spans.append((slice(start, end), seen))
    return spans


def regions_of(probability: NDArray[np.float32]) -> list[TextRegion]:
    """Return the lines in a map of probabilities, in pixels of the map."""
    mask = cv2.dilate((probability > PIXEL_THRESHOLD).astype(np.uint8), np.ones((2, 2), np.uint8))
    contours, _ = cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
    regions = []
    for contour in contours[:MOST_LINES]:
        center, (side, other_side), angle = cv2.minAreaRect(contour)
        if min(side, other_side) < SMALLEST_SIDE:
            continue
        score = _mean_inside(probability, np.asarray(contour, np.int32))
        if score < LINE_THRESHOLD:
            continue
        if max(side, other_side) < LEAST_ASPECT * min(side, other_side):
            left, top, side, other_side = cv2.boundingRect(contour)
            center, angle = (left + (side - 1) / 2, top + (other_side - 1) / 2), 0.0
        growth = GROWTH * side * other_side / (side + other_side)
        corners = cv2.boxPoints((center, (side + growth, other_side + growth), angle))
        regions.append(TextRegion(_longer(clockwise(np.asarray(corners, np.float32))), score))
    return regions


def clockwise(corners: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the corners of a rectangle so that the first edge points to the right, or nearly."""
    edges = np.roll(corners, -1, axis=0) - corners
    angles = [abs(math.atan2(float(dy), float(dx))) for dx, dy in edges]
    return np.roll(corners, -angles.index(min(angles)), axis=0)


def _longer(corners: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return a rectangle with some room at both ends, so that no full stop is cut in half."""
    along = corners[1] - corners[0]
    height = float(np.linalg.norm(corners[3] - corners[0]))
    step = along / max(float(np.linalg.norm(along)), 1) * END_MARGIN * height
    return corners + np.array([-step, step, step, -step], np.float32)


def _scaled(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    height, width = pixels.shape[:2]
    scale = max(LEAST_SCALE, min(1.0, FULL_SIDE / max(height, width)))
    size = [max(STRIDE, round(side * scale / STRIDE) * STRIDE) for side in (width, height)]
    interpolation = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(pixels, size, interpolation=interpolation), np.uint8)


def _mean_inside(probability: NDArray[np.float32], contour: NDArray[np.int32]) -> float:
    left, top, width, height = cv2.boundingRect(contour)
    mask = np.zeros((height, width), np.uint8)
    cv2.drawContours(mask, [contour - np.array([left, top])], -1, 1, cv2.FILLED)
    return float(cv2.mean(probability[top : top + height, left : left + width], mask)[0])

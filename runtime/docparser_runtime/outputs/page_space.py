"""From the page as it is shown to the coordinates in which a PDF draws.

What is shown of a page is its crop box as far as it lies within its media box, turned as its
rotation says.
"""

from collections.abc import Sequence
from dataclasses import dataclass

LETTER = (0.0, 0.0, 612.0, 792.0)
"""Boxes of pages that name none, as the renderer has it."""
_QUARTERS = 4
_CORNERS = 4

Bounds = tuple[float, float, float, float]
"""Left, bottom, right and top, in points."""


@dataclass(frozen=True)
class PageSpace:
    """Where the visible part of a page lies.

    Attributes:
        bounds: in the coordinates of the page, before it is turned.
        quarters: by how many right angles it is turned clockwise to be shown.
    """

    bounds: Bounds
    quarters: int

    @property
    def size(self) -> tuple[float, float]:
        """Width and height as shown, in points."""
        left, bottom, right, top = self.bounds
        width, height = right - left, top - bottom
        return (height, width) if self.quarters % 2 else (width, height)

    @property
    def matrix(self) -> tuple[float, float, float, float, float, float]:
        """The transformation to the page's coordinates from points of the page as shown.

        The latter count from its lower left corner. The six numbers are those of the operator `cm`.
        """
        left, bottom, right, top = self.bounds
        return (
            (1, 0, 0, 1, left, bottom),
            (0, 1, -1, 0, right, bottom),
            (-1, 0, 0, -1, right, top),
            (0, -1, 1, 0, left, top),
        )[self.quarters]

    def on_page(self, shown: Bounds) -> Bounds:
        """Return a rectangle of the page as shown in the page's coordinates."""
        a, b, c, d, e, f = self.matrix
        xs = [a * x + c * y + e for x, y in ((shown[0], shown[1]), (shown[2], shown[3]))]
        ys = [b * x + d * y + f for x, y in ((shown[0], shown[1]), (shown[2], shown[3]))]
        return min(xs), min(ys), max(xs), max(ys)


def page_space(media: object, crop: object, rotation: object) -> PageSpace:
    """Return where a page's visible part lies, from its inherited attributes as they stand there.

    What is no box counts as absent, as it does for the renderer.
    """
    media_box = _box(media) or LETTER
    crop_box = _box(crop)
    bounds = media_box if crop_box is None else _common(media_box, crop_box)
    degrees = _number(rotation) or 0
    return PageSpace(bounds, int(degrees) // 90 % _QUARTERS)


def _box(value: object) -> Bounds | None:
    if not isinstance(value, Sequence) or len(value) != _CORNERS:
        return None
    numbers = [number for number in map(_number, value) if number is not None]
    if len(numbers) != _CORNERS:
        return None
    x1, y1, x2, y2 = numbers
    box = (min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2))
    return box if box[0] < box[2] and box[1] < box[3] else None


def _number(value: object) -> float | None:
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None


def _common(one: Bounds, other: Bounds) -> Bounds:
    return (
        max(one[0], other[0]),
        max(one[1], other[1]),
        min(one[2], other[2]),
        min(one[3], other[3]),
    )

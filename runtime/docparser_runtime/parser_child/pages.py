"""What PDF files and images have in common once they are open."""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class Picture:
    """A drawn page.

    Attributes:
        width: in pixels.
        height: in pixels.
        rgb: width * height * 3 bytes.
        dpi: resolution of a PDF page; None for an image.
    """

    width: int
    height: int
    rgb: memoryview
    dpi: float | None


class Pages(Protocol):
    """An open document.

    Attributes:
        count: number of pages.
        repaired: whether its structure had to be mended.
    """

    count: int
    repaired: bool

    def picture(self, index: int) -> Picture:
        """Return page `index`, upright and within the limits.

        Raises:
            Refused: it cannot be drawn.
        """
        ...

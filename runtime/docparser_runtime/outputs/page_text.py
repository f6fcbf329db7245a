"""The text of a page as the process that writes searchable PDFs gets it."""

import json
from dataclasses import dataclass
from typing import Any

Rectangle = tuple[float, float, float, float]
"""Left, top, right and bottom, origin at the top left."""


@dataclass(frozen=True)
class Passage:
    """A piece of text and where it stands.

    Attributes:
        text: its lines may be parted by newlines, or not.
        box: in pixels of the page image.
        is_table: whether `text` is rows, parted by newlines, of cells, parted by tabs.
    """

    text: str
    box: Rectangle
    is_table: bool = False


@dataclass(frozen=True)
class PageText:
    """What stands on one page, whose image is `width` by `height` pixels."""

    width: int
    height: int
    passages: tuple[Passage, ...]

    def dumps(self) -> bytes:
        """Return bytes from which `loads` makes the same value."""
        passages = [[passage.text, passage.box, passage.is_table] for passage in self.passages]
        return json.dumps([self.width, self.height, passages]).encode()

    @staticmethod
    def loads(data: bytes) -> "PageText":
        """Return the value that `dumps` made `data` of."""
        width, height, passages = json.loads(data)
        return PageText(width, height, tuple(_passage(*passage) for passage in passages))


def _passage(text: str, box: Any, is_table: bool) -> Passage:  # noqa: FBT001 - as it stands there
    left, top, right, bottom = box
    return Passage(text, (left, top, right, bottom), is_table)

"""The lines at the top and at the bottom of a page that could be headers, footers or numbers."""

from collections.abc import Sequence
from dataclasses import dataclass

from docparser_runtime.engine.base import Block, BlockKind
from docparser_runtime.outputs.pages import OutputPage

MARGIN = 0.14
"""Share of the page's height, at either end, in which headers and footers stand."""
HIGHEST_LINE = 0.04
"""Height of the highest one as a share of the page's: it is a single line."""
LONGEST_LINE = 150
"""Characters of the longest one."""
LEAST_GAP = 1.2
"""Distance to the text of the page, in heights of the line; lines of a paragraph are closer."""
MOST_ROWS = 3


@dataclass(frozen=True)
class MarginLine:
    """A line that stands apart at an end of a page.

    Attributes:
        page: index of the page.
        block: index of the block.
        at_bottom: at which end.
        text: what it says.
        distance: of its middle from that end, as a share of the page's height.
        has_body: whether the page has other text than such lines.
    """

    page: int
    block: int
    at_bottom: bool
    text: str
    distance: float
    has_body: bool


@dataclass(frozen=True)
class _Placed:
    """A block as seen from one end of the page; lengths are shares of its height."""

    index: int
    block: Block
    near: float
    far: float

    @property
    def middle(self) -> float:
        return (self.near + self.far) / 2

    @property
    def is_line(self) -> bool:
        text = self.block.text
        return (
            self.block.kind in (BlockKind.PARAGRAPH, BlockKind.LIST)
            and "\n" not in text
            and 0 < len(text) <= LONGEST_LINE
            and self.far - self.near <= HIGHEST_LINE
            and self.middle <= MARGIN
        )


def margin_lines(page: OutputPage) -> list[MarginLine]:
    """Return the lines of `page` that stand apart at its top and its bottom."""
    if page.height <= 0:
        return []
    found = [
        (at_bottom, placed)
        for at_bottom in (False, True)
        for placed in _apart(_rows(_seen(page, at_bottom=at_bottom)))
    ]
    has_body = len({placed.index for _, placed in found}) < len(page.blocks)
    return [
        MarginLine(page.index, placed.index, at_bottom, placed.block.text, placed.middle, has_body)
        for at_bottom, placed in found
    ]


def _seen(page: OutputPage, *, at_bottom: bool) -> list[_Placed]:
    placed = []
    for index, block in enumerate(page.blocks):
        near, far = block.box.top / page.height, block.box.bottom / page.height
        if at_bottom:
            near, far = 1 - far, 1 - near
        placed.append(_Placed(index, block, near, far))
    return sorted(placed, key=lambda block: block.near)


def _rows(blocks: Sequence[_Placed]) -> list[list[_Placed]]:
    """Return the blocks in rows from the end of the page inward; those of a row overlap."""
    rows: list[list[_Placed]] = []
    far = float("-inf")
    for block in blocks:
        if block.middle < far:
            rows[-1].append(block)
        else:
            rows.append([block])
        far = max(far, block.far)
    return rows


def _apart(rows: Sequence[Sequence[_Placed]]) -> list[_Placed]:
    """Return the blocks of the outer rows that are set apart from the rest of the page."""
    outer = 0
    while outer < min(len(rows), MOST_ROWS + 1) and all(block.is_line for block in rows[outer]):
        outer += 1
    # Of the rows that may be meant, the innermost must keep its distance from what follows.
    while outer and not _keeps_distance(rows, outer - 1):
        outer -= 1
    return [block for row in rows[:outer] for block in row] if outer <= MOST_ROWS else []


def _keeps_distance(rows: Sequence[Sequence[_Placed]], at: int) -> bool:
    if at + 1 == len(rows):
        return True
    far = max(block.far for block in rows[at])
    height = max(block.far - block.near for block in rows[at])
    return min(block.near for block in rows[at + 1]) - far >= LEAST_GAP * height

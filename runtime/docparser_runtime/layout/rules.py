"""Tables by their ruled lines, found in the pixels of a level page.

What is dark and thin is kept by a black-hat transform (Meyer, "Contrast feature
extraction", 1979), and of that the long straight runs by morphological opening
(Serra, "Image Analysis and Mathematical Morphology", 1982), both once for flat
and once for upright rules. Where the two kinds hang together they form a grid;
walls that are missing between two cells make them one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import cv2
import numpy as np
from numpy.typing import NDArray

from docparser_runtime.engine.base import Box
from docparser_runtime.layout.lines import enclosing

Mask = NDArray[np.uint8]

LEAST_RULE = 1 / 42
"""Shortest rule as a share of the page's longer side: more than the strokes of any letter."""
JOINT_PIXELS = 5
"""Gap that rules may have where they should meet."""
SAME_LINE = 1 / 200
"""Distance, as a share of the longer side, at which two rules are one, drawn double or bent."""
MOST_CELLS = 4000
"""Cells from which a grid is graph paper."""
LEAST_WALL = 0.6
"""Share of a cell's side that ink must cover to be a wall."""
THICKEST_RULE = 1 / 150
"""Thickness, as a share of the longer side, from which dark is a filled area and no rule."""
WALL_MARGIN = 0.08
"""What is left free beside a wall for its thickness, as a share of the text's height."""
LEAST_PIECE = 1 / 3
"""Width, as a share of its height, from which a piece of a line can be a letter."""
_DARKER_BY = 25
"""A rule is darker than both of its sides, by so many grey levels."""
_MIDDLE_GREY = 128


@dataclass(frozen=True)
class Cell:
    """A cell, which may span several rows and columns; `row` and `column` are its first."""

    row: int
    column: int
    box: Box


@dataclass(frozen=True)
class Grid:
    """A ruled table without its text."""

    row_count: int
    column_count: int
    cells: tuple[Cell, ...]

    @property
    def box(self) -> Box:
        """Where it stands."""
        return enclosing(cell.box for cell in self.cells)


def grids(grey: Mask) -> list[Grid]:
    """Return the ruled tables of a page with at least two rows and two columns."""
    if np.median(grey) < _MIDDLE_GREY:
        grey = 255 - grey
    length = max(8, round(LEAST_RULE * max(grey.shape)))
    flat = _rules(grey, length)
    upright = np.ascontiguousarray(_rules(np.ascontiguousarray(grey.T), length).T)
    joined = cv2.dilate(flat | upright, np.ones((JOINT_PIXELS, JOINT_PIXELS), np.uint8))
    count, labels, stats, _ = cv2.connectedComponentsWithStats(joined)
    found = []
    for label in range(1, count):
        left, top, width, height = (int(value) for value in stats[label][:4])
        if width >= 2 * length and height >= length:
            window = (slice(top, top + height), slice(left, left + width))
            member = np.asarray(labels[window] == label, np.uint8)
            tolerance = max(JOINT_PIXELS, round(SAME_LINE * max(grey.shape)))
            grid = _grid(flat[window] * member, upright[window] * member, tolerance)
            if grid is not None:
                found.append(_moved(grid, left, top))
    return found


def pieces(box: Box, grid: Grid) -> list[Box]:
    """Return `box` cut at the walls of the cells that it stands in; itself if it is outside.

    A line of text that was found across a wall is thereby two lines, and no
    rule is left in the picture of either.
    """
    height = box.bottom - box.top
    middle = (box.top + box.bottom) / 2
    cut = []
    for cell in grid.cells:
        inner = _shrunken(cell.box, WALL_MARGIN * height)
        left, right = max(box.left, inner.left), min(box.right, inner.right)
        top, bottom = max(box.top, inner.top), min(box.bottom, inner.bottom)
        is_on_row = cell.box.top <= middle < cell.box.bottom and top < bottom
        if is_on_row and right - left >= LEAST_PIECE * height:
            cut.append(Box(left, top, right, bottom))
    return cut or [box]


def _shrunken(box: Box, margin: float) -> Box:
    return Box(box.left + margin, box.top + margin, box.right - margin, box.bottom - margin)


def _rules(grey: Mask, length: int) -> Mask:
    """Return where flat rules of at least `length` are."""
    thickest = max(5, round(THICKEST_RULE * max(grey.shape)))
    contrast = cv2.morphologyEx(grey, cv2.MORPH_BLACKHAT, np.ones((thickest, 1), np.uint8))
    thin = np.asarray(contrast > _DARKER_BY, np.uint8)
    opened = cv2.morphologyEx(thin, cv2.MORPH_OPEN, np.ones((1, length), np.uint8))
    return np.asarray(opened, np.uint8)


def _grid(flat: Mask, upright: Mask, tolerance: int) -> Grid | None:
    height, width = flat.shape
    rows = _positions(flat, 1, height, tolerance)
    columns = _positions(upright, 0, width, tolerance)
    count = (len(rows) - 1) * (len(columns) - 1)
    if len(rows) < 3 or len(columns) < 3 or count > MOST_CELLS:  # noqa: PLR2004 - two cells
        return None
    joined = _Joined()
    for row, column in product(range(len(rows) - 1), range(len(columns) - 1)):
        slot = joined.first((row, column))
        left, right, top, bottom = *columns[column : column + 2], *rows[row : row + 2]
        if row + 2 < len(rows) and not _is_wall(flat, bottom, left, right, tolerance):
            joined.join(slot, (row + 1, column))
        if column + 2 < len(columns) and not _is_wall(upright.T, right, top, bottom, tolerance):
            joined.join(slot, (row, column + 1))
    cells = [_cell(slots, rows, columns) for slots in joined.groups()]
    return Grid(len(rows) - 1, len(columns) - 1, tuple(sorted(cells, key=_place)))


def _positions(rules: Mask, axis: int, size: int, tolerance: int) -> list[int]:
    """Return where rules stand along the other axis, with the edges as the first and last."""
    _, _, stats, _ = cv2.connectedComponentsWithStats(rules)
    starts = sorted(int(row[axis] + row[axis + 2] / 2) for row in stats[1:])
    groups: list[list[int]] = []
    for start in starts:
        if groups and start - groups[-1][-1] <= tolerance:
            groups[-1].append(start)
        else:
            groups.append([start])
    inner = [round(sum(group) / len(group)) for group in groups]
    inner = [position for position in inner if tolerance < position < size - 1 - tolerance]
    return [0, *inner, size - 1]


def _is_wall(rules: Mask, position: int, start: int, end: int, tolerance: int) -> bool:
    """Whether a flat rule runs at `position` from `start` to `end`."""
    band = rules[max(0, position - tolerance) : position + tolerance + 1, start:end]
    return float(band.any(axis=0).mean()) >= LEAST_WALL


Slot = tuple[int, int]


class _Joined:
    """Places of the lattice that belong to one cell: disjoint sets (Galler and Fischer, 1964)."""

    def __init__(self) -> None:
        self._parents: dict[Slot, Slot] = {}

    def first(self, slot: Slot) -> Slot:
        """Return the representative of the slot's set."""
        way = [slot]
        while (parent := self._parents.setdefault(way[-1], way[-1])) != way[-1]:
            way.append(parent)
        # Next time the way is short.
        self._parents.update(dict.fromkeys(way, parent))
        return parent

    def join(self, one: Slot, other: Slot) -> None:
        """Make one set of two."""
        self._parents[self.first(other)] = self.first(one)

    def groups(self) -> list[list[Slot]]:
        """Return the sets."""
        members: dict[Slot, list[Slot]] = {}
        for slot in self._parents:
            members.setdefault(self.first(slot), []).append(slot)
        return [*members.values()]


def _cell(slots: Sequence[Slot], rows: Sequence[int], columns: Sequence[int]) -> Cell:
    first_row, last_row = min(row for row, _ in slots), max(row for row, _ in slots)
    first, last = min(column for _, column in slots), max(column for _, column in slots)
    box = Box(columns[first], rows[first_row], columns[last + 1], rows[last_row + 1])
    return Cell(first_row, first, box)


def _place(cell: Cell) -> Slot:
    return cell.row, cell.column


def _moved(grid: Grid, dx: int, dy: int) -> Grid:
    cells = tuple(
        Cell(
            cell.row,
            cell.column,
            Box(cell.box.left + dx, cell.box.top + dy, cell.box.right + dx, cell.box.bottom + dy),
        )
        for cell in grid.cells
    )
    return Grid(grid.row_count, grid.column_count, cells)

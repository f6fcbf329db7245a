"""Tables by their ruled lines, found in the pixels of a level page.

Long straight runs of ink are kept by morphological opening, once with a flat
and once with an upright element (Serra, "Image Analysis and Mathematical
Morphology", 1982); where both kinds hang together they form a grid. Walls that
are missing between two cells make them one.
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
LEAST_WALL = 0.6
"""Share of a cell's side that ink must cover to be a wall."""
_NEIGHBOURHOOD = 15
_DARKER_BY = 12
"""Ink is darker by so many grey levels than the mean of its surroundings."""


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
    ink = cv2.adaptiveThreshold(
        grey, 1, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY_INV, _NEIGHBOURHOOD, _DARKER_BY
    )
    length = max(8, round(LEAST_RULE * max(grey.shape)))
    flat = cv2.morphologyEx(ink, cv2.MORPH_OPEN, np.ones((1, length), np.uint8))
    upright = cv2.morphologyEx(ink, cv2.MORPH_OPEN, np.ones((length, 1), np.uint8))
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
    middle = (box.top + box.bottom) / 2
    least = (box.bottom - box.top) / 3
    cut = []
    for cell in grid.cells:
        left, right = max(box.left, cell.box.left), min(box.right, cell.box.right)
        if cell.box.top <= middle < cell.box.bottom and right - left >= least:
            cut.append(Box(left, max(box.top, cell.box.top), right, min(box.bottom, cell.box.bottom)))
    return cut or [box]


def _grid(flat: Mask, upright: Mask, tolerance: int) -> Grid | None:
    height, width = flat.shape
    rows = _positions(flat, 1, height, tolerance)
    columns = _positions(upright, 0, width, tolerance)
    if len(rows) < 3 or len(columns) < 3:  # noqa: PLR2004 - lines around two cells
        return None
    owner = {slot: slot for slot in product(range(len(rows) - 1), range(len(columns) - 1))}
    for row, column in owner:
        below, beside = (row + 1, column), (row, column + 1)
        if below in owner and not _is_wall(
            flat, rows[row + 1], columns[column], columns[column + 1], tolerance
        ):
            _unite(owner, (row, column), below)
        if beside in owner and not _is_wall(
            upright.T, columns[column + 1], rows[row], rows[row + 1], tolerance
        ):
            _unite(owner, (row, column), beside)
    return _cells(owner, rows, columns)


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


def _unite(owner: dict[Slot, Slot], first: Slot, second: Slot) -> None:
    kept, given = sorted((owner[first], owner[second]))
    for slot, own in owner.items():
        if own == given:
            owner[slot] = kept


def _cells(owner: dict[Slot, Slot], rows: Sequence[int], columns: Sequence[int]) -> Grid:
    cells = []
    for first in sorted(set(owner.values())):
        slots = [slot for slot, own in owner.items() if own == first]
        last_row, last_column = max(row for row, _ in slots), max(column for _, column in slots)
        row, column = min(row for row, _ in slots), min(column for _, column in slots)
        box = Box(columns[column], rows[row], columns[last_column + 1], rows[last_row + 1])
        cells.append(Cell(row, column, box))
    return Grid(len(rows) - 1, len(columns) - 1, tuple(cells))


def _moved(grid: Grid, dx: int, dy: int) -> Grid:
    cells = tuple(
        Cell(
            cell.row,
            cell.column,
            Box(
                cell.box.left + dx, cell.box.top + dy, cell.box.right + dx, cell.box.bottom + dy
            ),
        )
        for cell in grid.cells
    )
    return Grid(grid.row_count, grid.column_count, cells)

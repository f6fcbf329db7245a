"""Tables with their text: ruled ones, and those that only white space holds together."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from docparser_runtime.engine.base import Block, BlockKind, Box
from docparser_runtime.layout import markdown
from docparser_runtime.layout.lines import TextLine, enclosing, mean_confidence
from docparser_runtime.layout.paragraphs import joined, merged
from docparser_runtime.layout.reading_order import columns_of, rows_of
from docparser_runtime.layout.rules import Cell, Grid

TABLE_GAP = 1.5
"""White space within a row, in ems, that no sentence has: what follows is another cell."""
CELL_GAP = 0.4
"""White space between the columns of a table, in ems."""
LEAST_ROWS = 3
LEAST_COLUMNS = 3
"""Fewer rows or columns without rules may as well be a form or a list of contents."""
LEAST_REGULAR = 0.75
"""Share of cells with text below which what has no rules is no table."""
LEAST_CELLS = 3
LEAST_FILLED = 0.25
"""Cells with text, and their share, below which a grid is a picture or graph paper."""


@dataclass(frozen=True)
class Table:
    """A table that takes part in the reading order as one piece."""

    block: Block

    @property
    def box(self) -> Box:
        """Where it stands."""
        return self.block.box


def filled(grids: Sequence[Grid], lines: Sequence[TextLine]) -> tuple[list[Table], list[TextLine]]:
    """Return the tables that `lines` make of `grids`, and the lines outside of all tables."""
    tables = []
    rest = [*lines]
    for grid in grids:
        texts, outside = _sorted_out(grid, rest)
        if len(texts) >= max(LEAST_CELLS, LEAST_FILLED * len(grid.cells)):
            tables.append(_ruled(grid, texts))
            rest = outside
    return tables, rest


def is_tabular(row: Sequence[TextLine], em: float) -> bool:
    """Whether a row consists of cells rather than of a sentence."""
    gaps = [right.box.left - left.box.right for left, right in pairwise(row)]
    return len(row) >= LEAST_COLUMNS or any(gap >= TABLE_GAP * em for gap in gaps)


def unruled(rows: Sequence[Sequence[TextLine]], em: float) -> Table | None:
    """Return the table that tabular `rows` form if it is a regular one, else None."""
    pieces = [piece for row in rows for piece in row]
    columns = columns_of(pieces, CELL_GAP * em)
    starts = [column[0].box.left for column in columns]
    cells: list[list[list[TextLine]]] = [[[] for _ in columns] for _ in rows]
    for row, slots in zip(rows, cells, strict=True):
        for piece in row:
            slots[bisect_right(starts, piece.box.left) - 1].append(piece)
    held = [len(cell) for row in cells for cell in row]
    if len(rows) < LEAST_ROWS or len(columns) < LEAST_COLUMNS or max(held) > 1:
        return None
    if sum(held) < LEAST_REGULAR * len(held):
        return None
    texts = [[merged(cell).text if cell else "" for cell in row] for row in cells]
    return _table(texts, enclosing(piece.box for piece in pieces), pieces)


def _ruled(grid: Grid, texts: dict[Cell, list[TextLine]]) -> Table:
    rows = [[""] * grid.column_count for _ in range(grid.row_count)]
    for cell, lines in texts.items():
        rows[cell.row][cell.column] = joined([merged(row).text for row in rows_of(lines)])
    return _table(rows, grid.box, [line for lines in texts.values() for line in lines])


def _table(rows: Sequence[Sequence[str]], box: Box, lines: Sequence[TextLine]) -> Table:
    text = "\n".join("\t".join(row) for row in rows)
    block = Block(BlockKind.TABLE, text, markdown.table(rows), box, mean_confidence(lines))
    return Table(block)


def _sorted_out(
    grid: Grid, lines: Sequence[TextLine]
) -> tuple[dict[Cell, list[TextLine]], list[TextLine]]:
    """Return the lines in each cell that has some, and the lines outside of the grid."""
    texts: dict[Cell, list[TextLine]] = {}
    outside = []
    for line in lines:
        cell = next((cell for cell in grid.cells if _stands_in(line, cell)), None)
        if cell is None:
            outside.append(line)
        else:
            texts.setdefault(cell, []).append(line)
    return texts, outside


def _stands_in(line: TextLine, cell: Cell) -> bool:
    x, y = (line.box.left + line.box.right) / 2, (line.box.top + line.box.bottom) / 2
    return cell.box.left <= x < cell.box.right and cell.box.top <= y < cell.box.bottom

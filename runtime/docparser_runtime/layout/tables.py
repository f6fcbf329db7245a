"""Ruled tables with their text: which lines stand in which cell."""

from collections.abc import Sequence
from dataclasses import dataclass

from docparser_runtime.engine.base import Block, BlockKind, Box
from docparser_runtime.layout import markdown
from docparser_runtime.layout.lines import TextLine, mean_confidence
from docparser_runtime.layout.paragraphs import joined, merged
from docparser_runtime.layout.reading_order import rows_of
from docparser_runtime.layout.rules import Cell, Grid

LEAST_FILLED = 0.25
"""Share of cells with text below which a grid is a picture or graph paper."""


@dataclass(frozen=True)
class Table:
    """A table that takes part in the reading order as one piece."""

    block: Block

    @property
    def box(self) -> Box:
        """Where it stands."""
        return self.block.box


def filled(
    grids: Sequence[Grid], lines: Sequence[TextLine]
) -> tuple[list[Table], list[TextLine]]:
    """Return the tables that `lines` make of `grids`, and the lines outside of all tables."""
    tables = []
    rest = [*lines]
    for grid in grids:
        inside = {cell: [line for line in rest if _stands_in(line, cell)] for cell in grid.cells}
        texts = {cell: found for cell, found in inside.items() if found}
        if len(texts) >= LEAST_FILLED * len(grid.cells):
            tables.append(Table(_block(grid, texts)))
            rest = [line for line in rest if not any(line in found for found in texts.values())]
    return tables, rest


def _block(grid: Grid, texts: dict[Cell, list[TextLine]]) -> Block:
    rows = [[""] * grid.column_count for _ in range(grid.row_count)]
    for cell, lines in texts.items():
        rows[cell.row][cell.column] = joined([merged(row).text for row in rows_of(lines)])
    return Block(
        BlockKind.TABLE,
        "\n".join("\t".join(row) for row in rows),
        markdown.table(rows),
        grid.box,
        mean_confidence([line for lines in texts.values() for line in lines]),
    )


def _stands_in(line: TextLine, cell: Cell) -> bool:
    x, y = (line.box.left + line.box.right) / 2, (line.box.top + line.box.bottom) / 2
    return cell.box.left <= x < cell.box.right and cell.box.top <= y < cell.box.bottom

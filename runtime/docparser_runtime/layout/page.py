"""A whole page: lines of text and ruled grids in, blocks and Markdown out."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from docparser_runtime.engine.base import Block, PageResult
from docparser_runtime.layout.blocks import blocks
from docparser_runtime.layout.lines import TextLine, typical_size
from docparser_runtime.layout.paragraphs import merged, paragraphs
from docparser_runtime.layout.reading_order import Region, regions
from docparser_runtime.layout.rules import Grid
from docparser_runtime.layout.tables import Table, filled, is_tabular, unruled


def page_result(lines: Sequence[TextLine], grids: Sequence[Grid] = ()) -> PageResult:
    """Return the page that consists of `lines`, some of which may stand in `grids`."""
    tables, rest = filled(grids, lines)
    body = typical_size(rest)
    pieces: list[TextLine | Table] = [*rest, *tables]
    found: list[Block] = []
    for region in regions(pieces, body):
        for part in _parts(region, body):
            if isinstance(part, Table):
                found.append(part.block)
            else:
                found.extend(blocks(paragraphs(part), body))
    return PageResult("\n\n".join(block.markdown for block in found), tuple(found))


def _parts(region: Region[TextLine | Table], em: float) -> Iterator[list[TextLine] | Table]:
    """Yield the tables of a region and, between them, lines that may form paragraphs."""
    lines: list[Sequence[TextLine]] = []
    for row in region:
        tables = [piece for piece in row if isinstance(piece, Table)]
        texts = [piece for piece in row if isinstance(piece, TextLine)]
        if texts:
            lines.append(texts)
        if tables:
            yield from _text_parts(lines, em)
            yield from tables
            lines = []
    yield from _text_parts(lines, em)


def _text_parts(rows: Sequence[Sequence[TextLine]], em: float) -> Iterator[list[TextLine] | Table]:
    """Yield runs of rows: as tables, as rows of a form one by one, or as running text."""
    for tabular, run in groupby(rows, key=lambda row: is_tabular(row, em)):
        run_rows = [*run]
        table = unruled(run_rows, em) if tabular else None
        if table is not None:
            yield table
        elif tabular:
            yield from ([merged(row)] for row in run_rows)
        else:
            yield [merged(row) for row in run_rows]

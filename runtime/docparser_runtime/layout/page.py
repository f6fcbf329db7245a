"""A whole page: lines of text and ruled grids in, blocks and Markdown out."""

from collections.abc import Iterator, Sequence

from docparser_runtime.engine.base import Block, PageResult
from docparser_runtime.layout.blocks import blocks
from docparser_runtime.layout.lines import TextLine, typical_size
from docparser_runtime.layout.paragraphs import merged, paragraphs
from docparser_runtime.layout.reading_order import regions
from docparser_runtime.layout.rules import Grid
from docparser_runtime.layout.tables import Table, filled


def page_result(lines: Sequence[TextLine], grids: Sequence[Grid] = ()) -> PageResult:
    """Return the page that consists of `lines`, some of which may stand in `grids`."""
    tables, rest = filled(grids, lines)
    body = typical_size(rest)
    pieces: list[TextLine | Table] = [*rest, *tables]
    found: list[Block] = []
    for region in regions(pieces, body):
        for part in _parts(region):
            if isinstance(part, Table):
                found.append(part.block)
            else:
                found.extend(blocks(paragraphs(part), body))
    return PageResult("\n\n".join(block.markdown for block in found), tuple(found))


def _parts(rows: Sequence[Sequence[TextLine | Table]]) -> Iterator[list[TextLine] | Table]:
    """Yield the tables of a region and, between them, runs of lines."""
    lines: list[TextLine] = []
    for row in rows:
        texts = [piece for piece in row if isinstance(piece, TextLine)]
        tables = [piece for piece in row if isinstance(piece, Table)]
        if texts:
            lines.append(merged(texts))
        if tables:
            if lines:
                yield lines
                lines = []
            yield from tables
    if lines:
        yield lines

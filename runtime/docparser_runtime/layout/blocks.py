"""What the paragraphs of a page are: title, heading, list or running text."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from docparser_runtime.engine.base import Block, BlockKind, PageResult
from docparser_runtime.layout import markdown
from docparser_runtime.layout.lines import TextLine, enclosing, typical_size
from docparser_runtime.layout.paragraphs import ITEM, Paragraph, merged, paragraphs
from docparser_runtime.layout.reading_order import regions

HEADING_SIZES = ((1.7, 1), (1.35, 2), (1.16, 3))
"""Least ratio to the size of the running text, and the level of heading that it makes."""
LONGEST_HEADING = 3
"""Lines of the longest heading."""


@dataclass(frozen=True)
class Table:
    """A table that was found in the pixels and filled: it takes part in the reading order."""

    block: Block

    @property
    def box(self):  # noqa: ANN201
        """Where it stands."""
        return self.block.box


def page_result(lines: Sequence[TextLine], tables: Sequence[Table] = ()) -> PageResult:
    """Return the page that consists of `lines` and `tables`."""
    body = typical_size(lines)
    found: list[Block] = []
    for region in regions([*lines, *tables], body):
        for part in _parts(region.rows):
            if isinstance(part, Table):
                found.append(part.block)
            else:
                found.extend(_blocks(paragraphs(part), body))
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


def _blocks(found: Sequence[Paragraph], body: float) -> Iterator[Block]:
    items: list[Paragraph] = []
    for paragraph in found:
        level = _heading_level(paragraph, body)
        if level is None and ITEM.match(paragraph.text):
            items.append(paragraph)
            continue
        if items:
            yield _list(items)
            items = []
        yield _heading(paragraph, level) if level else _paragraph(paragraph)
    if items:
        yield _list(items)


def _heading_level(paragraph: Paragraph, body: float) -> int | None:
    if len(paragraph.lines) > LONGEST_HEADING:
        return None
    ratio = typical_size(paragraph.lines) / body
    return next((level for least, level in HEADING_SIZES if ratio >= least), None)


def _heading(paragraph: Paragraph, level: int) -> Block:
    text = paragraph.text
    kind = BlockKind.TITLE if level == 1 else BlockKind.HEADING
    return Block(
        kind,
        text,
        markdown.heading(text, level),
        paragraph.box,
        paragraph.confidence,
        level,
    )


def _paragraph(paragraph: Paragraph) -> Block:
    text = paragraph.text
    return Block(
        BlockKind.PARAGRAPH, text, markdown.escaped(text), paragraph.box, paragraph.confidence
    )


def _list(items: Sequence[Paragraph]) -> Block:
    texts = [item.text for item in items]
    letters = sum(len(text) for text in texts)
    confidence = sum(item.confidence * len(item.text) for item in items) / max(letters, 1)
    return Block(
        BlockKind.LIST,
        "\n".join(texts),
        "\n".join(markdown.list_item(text) for text in texts),
        enclosing(item.box for item in items),
        confidence,
    )

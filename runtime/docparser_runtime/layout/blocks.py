"""What the paragraphs of a page are: title, heading, list or running text."""

from collections.abc import Iterator, Sequence

from docparser_runtime.engine.base import Block, BlockKind
from docparser_runtime.layout import markdown
from docparser_runtime.layout.lines import enclosing, mean_confidence, typical_size
from docparser_runtime.layout.paragraphs import Paragraph, is_item

HEADING_SIZES = ((1.7, 1), (1.35, 2), (1.2, 3))
"""Least ratio to the size of the running text, and the level of heading that it makes."""
LONGEST_HEADING = 3
"""Lines of the longest heading."""


def blocks(found: Sequence[Paragraph], body: float) -> Iterator[Block]:
    """Yield the paragraphs of a column as blocks; `body` is the type size of the running text."""
    items: list[Paragraph] = []
    for paragraph in found:
        level = _heading_level(paragraph, body)
        if level is None and is_item(paragraph.text):
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
    return Block(
        BlockKind.LIST,
        "\n".join(texts),
        "\n".join(markdown.list_item(*text.split(maxsplit=1)) for text in texts),
        enclosing(item.box for item in items),
        mean_confidence([line for item in items for line in item.lines]),
    )

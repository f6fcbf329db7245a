"""What a document's text is put together from: blocks, or the pieces of a page's Markdown."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from docparser_runtime.engine.base import Block, BlockKind, Box
from docparser_runtime.outputs.grids import (
    Rows,
    is_pipe_table,
    rows_of_markdown,
    rows_of_text,
)
from docparser_runtime.outputs.pages import OutputPage

_BLANK_LINES = re.compile(r"\n(?:[ \t]*\n)+")
_INDIVISIBLE = re.compile(r"^ {0,3}(?:```|~~~|\$\$|<)|^(?: {4}|\t)", re.MULTILINE)
"""Code, formulas and HTML, which may hold blank lines that end nothing."""
_HEADING = re.compile(r"#{1,6}\s")
_ITEM = re.compile(r"(?:[-*+]|\d{1,9}[.)])\s")
_NO_PROSE = re.compile(r"[\s>!\[]|={3,}$|-{3,}$|\*{3,}$")


@dataclass(frozen=True)
class Unit:
    """A piece of a page.

    Attributes:
        kind: what it is; None if unknown, so that nothing is joined to it.
        text: plain text; Markdown when the engine names no blocks.
        markdown: the same as Markdown.
        block: index of the block; None when the engine names none.
        box: where it stands, if known.
    """

    kind: BlockKind | None
    text: str
    markdown: str
    block: int | None = None
    box: Box | None = None

    @property
    def rows(self) -> Rows:
        """The cells of a table."""
        return rows_of_text(self.text) if self.block is not None else rows_of_markdown(self.text)


def units(page: OutputPage) -> Iterator[Unit]:
    """Yield the pieces of a page in reading order; those without text are left out."""
    if not page.blocks:
        yield from _pieces(page.markdown)
    for index, block in enumerate(page.blocks):
        if block.markdown.strip():
            yield _unit(index, block)


def _unit(index: int, block: Block) -> Unit:
    return Unit(block.kind, block.text, block.markdown, index, block.box)


def _pieces(markdown: str) -> Iterator[Unit]:
    if not markdown.strip():
        return
    if _INDIVISIBLE.search(markdown):
        yield Unit(None, markdown, markdown)
        return
    for piece in _BLANK_LINES.split(markdown):
        if piece.strip():
            yield Unit(_kind(piece), piece, piece)


def _kind(piece: str) -> BlockKind | None:
    if is_pipe_table(piece):
        return BlockKind.TABLE
    if _HEADING.match(piece):
        return BlockKind.HEADING
    if _ITEM.match(piece):
        return BlockKind.LIST
    return None if _NO_PROSE.match(piece) else BlockKind.PARAGRAPH

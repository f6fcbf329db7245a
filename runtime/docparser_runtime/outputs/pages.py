"""A page as the outputs see it, and where it comes from."""

from dataclasses import dataclass

from docparser_runtime.engine.base import Block, Box, PageResult
from docparser_runtime.schemas import BlockBody, PageBody


@dataclass(frozen=True)
class OutputPage:
    """What stands on one page.

    Attributes:
        index: position in the document, from 0. Only neighbours are joined.
        width: of the page image, in pixels.
        height: of the page image, in pixels.
        markdown: the whole page; the only text there is when the engine names no blocks.
        blocks: the same in pieces, in reading order.
        is_cut: whether the end of the page is missing, so that nothing may be joined to it.
    """

    index: int
    width: int
    height: int
    markdown: str
    blocks: tuple[Block, ...] = ()
    is_cut: bool = False


def page_of_result(index: int, width: int, height: int, result: PageResult) -> OutputPage:
    """Return the page that an engine read."""
    is_cut = result.truncated or result.repetition
    return OutputPage(index, width, height, result.markdown, result.blocks, is_cut)


def page_of_body(body: PageBody) -> OutputPage:
    """Return the page that stands in an answer or in the store."""
    blocks = tuple(_block(block) for block in body.blocks)
    is_cut = body.truncated or body.repetition
    return OutputPage(body.index, body.width, body.height, body.markdown, blocks, is_cut)


def _block(body: BlockBody) -> Block:
    return Block(body.kind, body.text, body.markdown, Box(*body.box), body.confidence, body.level)

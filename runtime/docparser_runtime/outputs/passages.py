"""A page's blocks as passages of a searchable PDF."""

from docparser_runtime.engine.base import BlockKind
from docparser_runtime.outputs.page_text import PageText, Passage
from docparser_runtime.outputs.pages import OutputPage


def page_text(page: OutputPage) -> PageText:
    """Return the text of a page with its places.

    Of engines that name no blocks only the Markdown is known, which is taken to fill the page.
    """
    whole = (0.0, 0.0, float(page.width), float(page.height))
    passages = tuple(
        Passage(
            block.text,
            (block.box.left, block.box.top, block.box.right, block.box.bottom),
            is_table=block.kind is BlockKind.TABLE,
        )
        for block in page.blocks
    )
    if not page.blocks and page.markdown.strip():
        passages = (Passage(page.markdown, whole),)
    return PageText(page.width, page.height, passages)

"""What was read as plain text."""

from collections.abc import Collection

from docparser_runtime.outputs.pages import OutputPage


def page_text(page: OutputPage, dropped: Collection[int] = frozenset()) -> str:
    """Return a page's blocks, a blank line apart, without those whose indexes are in `dropped`.

    Cells of tables are parted by tabs. An engine that names no blocks leaves only Markdown.
    """
    if not page.blocks:
        return page.markdown
    texts = (block.text for index, block in enumerate(page.blocks) if index not in dropped)
    return "\n\n".join(text for text in texts if text.strip())


def page_markdown(page: OutputPage, dropped: Collection[int] = frozenset()) -> str:
    """Return a page as Markdown without the blocks whose indexes are in `dropped`."""
    if not page.blocks:
        return page.markdown
    kept = (block.markdown for index, block in enumerate(page.blocks) if index not in dropped)
    return "\n\n".join(markdown for markdown in kept if markdown.strip())

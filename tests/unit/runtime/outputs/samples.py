"""Pages made by hand for the tests of the outputs: 1000 by 1400 pixels."""

from docparser_runtime.engine.base import Block, BlockKind, Box
from docparser_runtime.layout import markdown
from docparser_runtime.outputs.pages import OutputPage

WIDTH, HEIGHT = 1000, 1400
LINE = 20


def a_block(
    text: str,
    top: float = 200,
    *,
    kind: BlockKind = BlockKind.PARAGRAPH,
    height: float = LINE,
    left: float = 100,
    right: float = 900,
) -> Block:
    box = Box(left, top, right, top + height)
    if kind is BlockKind.TABLE:
        shown = markdown.table([row.split("\t") for row in text.split("\n")])
    elif kind is BlockKind.LIST:
        items = [item.split(maxsplit=1) for item in text.split("\n")]
        shown = "\n".join(markdown.list_item(mark, rest) for mark, rest in items)
    elif kind is BlockKind.PARAGRAPH:
        shown = markdown.escaped(text)
    else:
        return Block(kind, text, markdown.heading(text, 2), box, 0.9, 2)
    return Block(kind, text, shown, box, 0.9)


def a_page(index: int, *blocks: Block, is_cut: bool = False) -> OutputPage:
    shown = "\n\n".join(block.markdown for block in blocks)
    return OutputPage(index, WIDTH, HEIGHT, shown, blocks, is_cut)


def a_table(*rows: str, left: float = 100, right: float = 900) -> Block:
    """Return a table of `rows`, their cells parted by a comma."""
    text = "\n".join(row.replace(",", "\t") for row in rows)
    return a_block(text, kind=BlockKind.TABLE, height=400, left=left, right=right)

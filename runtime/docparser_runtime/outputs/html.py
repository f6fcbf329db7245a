"""What was read as HTML that is safe to show: all text is escaped, nothing is ever loaded.

Pages become sections and blocks elements that carry their place, so that a viewer can connect them
with the picture of the page.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from html import escape
from itertools import groupby

from markdown_it import MarkdownIt

from docparser_runtime.engine.base import Block, BlockKind, Box
from docparser_runtime.outputs.grids import rows_of_text
from docparser_runtime.outputs.pages import OutputPage

TABLE_END = "\n</tbody>\n</table>"
"""What closes that which `open_table` begins."""

_HEAD = """<!doctype html>
<html>
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
</head>
<body>
"""
TAIL = "</body>\n</html>\n"
_BULLET = re.compile(r"[•●○▪■◦‣∙·*–—-]\s+")  # noqa: RUF001 - dashes are meant
_NUMBER = re.compile(r"(\d{1,9})[.)]\s+")
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")
_DEEPEST_LEVEL = 6
# Engines that write only Markdown may write anything. What could load or lead elsewhere stays text.
_MARKDOWN = (
    MarkdownIt("commonmark", {"html": False})
    .enable("table")
    .disable(["link", "image", "autolink", "reference", "html_block", "html_inline"])
)


def document(
    pages: Iterable[OutputPage],
    title: str,
    dropped: Mapping[int, Collection[int]],
) -> Iterator[str]:
    """Yield a whole HTML document in pieces: its head with `title`, and one section a page.

    Not shown are the blocks of which `dropped` has the indexes, by the index of their page.
    """
    yield head(title)
    for page in pages:
        yield section(page, dropped.get(page.index, ())) + "\n"
    yield TAIL


def head(title: str) -> str:
    """Return the beginning of a document, up to its first section; TAIL ends it."""
    return _HEAD.format(title=escaped(title))


def section(page: OutputPage, dropped: Collection[int] = frozenset()) -> str:
    """Return a page as a `section`, without the blocks whose indexes are in `dropped`.

    Its attributes are `data-page` (index from 0), `data-width` and `data-height` (pixels); those of
    its elements `data-block` (index from 0) and `data-box` (left, top, right, bottom in pixels).
    """
    parts = [
        element(block, f' data-block="{index}" data-box="{_numbers(block.box)}"')
        for index, block in enumerate(page.blocks)
        if index not in dropped
    ]
    if not page.blocks and page.markdown:
        parts = [_MARKDOWN.render(_UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", page.markdown))]
    size = f'data-width="{page.width}" data-height="{page.height}"'
    body = "\n".join(parts)
    return f'<section data-page="{page.index}" {size}>\n{body}\n</section>'


def element(block: Block, attributes: str = "") -> str:
    """Return a block as an element; `attributes` are ready to stand in its tag."""
    if block.kind is BlockKind.TABLE:
        return open_table(rows_of_text(block.text), attributes) + TABLE_END
    if block.kind is BlockKind.LIST:
        return _list(block.text.split("\n"), attributes)
    if block.kind is BlockKind.PARAGRAPH:
        return f'<p dir="auto"{attributes}>{escaped(block.text)}</p>'
    default = 1 if block.kind is BlockKind.TITLE else 2
    tag = f"h{min(max(block.level or default, 1), _DEEPEST_LEVEL)}"
    return f'<{tag} dir="auto"{attributes}>{escaped(block.text)}</{tag}>'


def open_table(rows: Sequence[Sequence[str]], attributes: str = "") -> str:
    """Return a table whose first row is its head, up to its last row; `TABLE_END` is to follow."""
    head, *body = rows
    cells = "".join(f'<th scope="col" dir="auto">{escaped(cell)}</th>' for cell in head)
    start = f"<table{attributes}>\n<thead>\n<tr>{cells}</tr>\n</thead>\n<tbody>"
    return start + "".join(f"\n{table_row(row)}" for row in body)


def table_row(row: Sequence[str]) -> str:
    """Return a row of a table's body."""
    return "<tr>" + "".join(f'<td dir="auto">{escaped(cell)}</td>' for cell in row) + "</tr>"


def escaped(text: str) -> str:
    """Return `text` for use in content and quoted attributes; what HTML forbids is replaced."""
    return escape(_UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", text))


def _list(items: Sequence[str], attributes: str) -> str:
    runs = [(ordered, [*run]) for ordered, run in groupby(items, _is_numbered)]
    if len(runs) > 1:
        inner = "\n".join(_run(ordered, run, "") for ordered, run in runs)
        return f"<div{attributes}>\n{inner}\n</div>"
    ordered, run = runs[0]
    return _run(ordered, run, attributes)


def _run(ordered: bool, items: Sequence[str], attributes: str) -> str:  # noqa: FBT001 - of groupby
    if not ordered:
        lines = "\n".join(_item(_BULLET.sub("", item, count=1), "") for item in items)
        return f"<ul{attributes}>\n{lines}\n</ul>"
    numbered = [(_NUMBER.match(item), item) for item in items]
    lines = "\n".join(
        _item(item[match.end() :], f' value="{int(match[1])}"') for match, item in numbered if match
    )
    return f"<ol{attributes}>\n{lines}\n</ol>"


def _item(text: str, attributes: str) -> str:
    return f'<li dir="auto"{attributes}>{escaped(text)}</li>'


def _is_numbered(item: str) -> bool:
    return _NUMBER.match(item) is not None


def _numbers(box: Box) -> str:
    return " ".join(f"{value:g}" for value in (box.left, box.top, box.right, box.bottom))

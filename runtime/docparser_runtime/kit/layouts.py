"""Pure: pages of each layout, with their Markdown."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from docparser_runtime.kit.drawing import HEIGHT, WIDTH, Page, Rule, Text, wrapped
from docparser_runtime.kit.prose import Prose

_MARGIN: Final = 64
_GUTTER: Final = 36
_BODY: Final = 11
_TITLE: Final = 22
_HEADING: Final = 15
_LEADING: Final = 1.35
_ROW_HEIGHT: Final = 24
_COLUMN_WIDTH: Final = 140
_USABLE: Final = WIDTH - 2 * _MARGIN


@dataclass(frozen=True)
class Drawn:
    """Pages and what they say."""

    pages: tuple[Page, ...]
    markdown: str


@dataclass
class _Column:
    """A column that is filled from the top."""

    left: float = _MARGIN
    width: float = _USABLE
    top: float = HEIGHT - _MARGIN
    marks: list[Text | Rule] = field(default_factory=list)
    blocks: list[str] = field(default_factory=list)

    def add(self, text: str, size: float = _BODY, mark: str = "", after: float = 10) -> None:
        """Set a block; `mark` is what stands before it in Markdown."""
        for line in wrapped(text, self.width, size):
            self.top -= size * _LEADING
            self.marks.append(Text(self.left, self.top, size, line, bold=bool(mark)))
        self.top -= after
        self.blocks.append(mark + text)

    def add_table(self, rows: Sequence[Sequence[str]]) -> None:
        """Set a table with every cell boxed in."""
        edges = [self.left + _COLUMN_WIDTH * number for number in range(len(rows[0]) + 1)]
        top = self.top
        for number, row in enumerate(rows):
            self.marks.append(Rule(edges[0], self.top, edges[-1], self.top))
            self.top -= _ROW_HEIGHT
            self.marks += [
                Text(edge + 6, self.top + 8, _BODY, cell, bold=number == 0)
                for edge, cell in zip(edges, row, strict=False)
            ]
        self.marks.append(Rule(edges[0], self.top, edges[-1], self.top))
        self.marks += [Rule(edge, self.top, edge, top) for edge in edges]
        self.top -= 14
        lines = ["| " + " | ".join(row) + " |" for row in rows]
        self.blocks.append("\n".join((lines[0], "|" + " --- |" * len(rows[0]), *lines[1:])))


def plain_text(prose: Prose) -> Drawn:
    """Return a page of paragraphs."""
    return _of([_plain_page(prose)])


def headings(prose: Prose) -> Drawn:
    """Return a page with a title and two headings."""
    column = _Column()
    column.add(prose.title(), _TITLE, "# ", 14)
    for _ in range(2):
        column.add(prose.paragraph())
        column.add(prose.title(), _HEADING, "## ")
    column.add(prose.paragraph())
    return _of([column])


def table(prose: Prose) -> Drawn:
    """Return a page with a table between two paragraphs."""
    column = _Column()
    column.add(prose.paragraph())
    column.add_table(prose.rows(6))
    column.add(prose.paragraph())
    return _of([column])


def multi_column(prose: Prose) -> Drawn:
    """Return a page of two columns below a title."""
    above = _Column()
    above.add(prose.title(), _TITLE, "# ", 18)
    width = (_USABLE - _GUTTER) / 2
    columns = [
        _Column(_MARGIN + number * (width + _GUTTER), width, above.top) for number in range(2)
    ]
    for column in columns:
        for _ in range(3):
            column.add(prose.paragraph(3))
    parts = (above, *columns)
    page = tuple(mark for part in parts for mark in part.marks)
    return Drawn((page,), _joined([block for part in parts for block in part.blocks]))


def headers_footers(prose: Prose) -> Drawn:
    """Return three pages with a running header and page numbers; the Markdown holds both."""
    header = prose.title()
    columns = []
    for number in range(1, 4):
        column = _Column(top=HEIGHT - 36)
        column.add(header, 9, after=30)
        column.add(prose.paragraph(5))
        column.add(prose.paragraph(5))
        column.top = 48
        column.add(f"Page {number} of 3", 9)
        columns.append(column)
    return _of(columns)


def of_length(prose: Prose, pages: int) -> Drawn:
    """Return so many pages of paragraphs."""
    return _of([_plain_page(prose) for _ in range(pages)])


LAYOUTS: Final[Mapping[str, Callable[[Prose], Drawn]]] = {
    "plain_text": plain_text,
    "headings": headings,
    "table": table,
    "multi_column": multi_column,
    "headers_footers": headers_footers,
}
"""Layouts by the name of their class."""


def _plain_page(prose: Prose) -> _Column:
    column = _Column()
    for _ in range(4):
        column.add(prose.paragraph())
    return column


def _of(columns: Sequence[_Column]) -> Drawn:
    """Return one page for each column."""
    blocks = [block for column in columns for block in column.blocks]
    return Drawn(tuple(tuple(column.marks) for column in columns), _joined(blocks))


def _joined(blocks: Sequence[str]) -> str:
    return "\n\n".join(blocks) + "\n"

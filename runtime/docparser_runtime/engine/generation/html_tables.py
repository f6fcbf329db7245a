"""Tables that models write as HTML, as rows of plain text."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Final

MOST_SPAN: Final = 100
"""Columns or rows that a cell may cover; a model that claims more is wrong."""
MOST_COLUMNS: Final = 1000
"""Columns of a table; what stands in further ones is put into none."""
_DECLARATION: Final = re.compile(r"<(?=[!?])")


@dataclass
class _Cell:
    columns: int
    rows: int
    texts: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return " ".join("".join(self.texts).split())


def rows_of(html: str) -> list[list[str]]:
    """Return the rows of a table, equally long. What a cell covers besides its own place is empty.

    Text outside of cells has a row to itself; a table that is cut off ends with what there is, but
    for a last tag that is not complete.
    """
    begin = html.rfind("<")
    whole = html[:begin] if begin > html.rfind(">") else html
    reader = _Reader()
    # Declarations are none in a table: the parser would leave them out, or fail over them.
    reader.feed(_DECLARATION.sub("&lt;", whole))
    reader.close()
    return _placed(reader.rows)


class _Reader(HTMLParser):
    """Gathers the cells of each row."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.rows: list[list[_Cell]] = []
        self._cell: _Cell | None = None

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        """Begin a row or a cell."""
        if tag == "br":
            self.handle_data(" ")
        if tag == "tr" or (tag in ("td", "th") and not self.rows):
            self.rows.append([])
        if tag in ("td", "th"):
            values = dict(attrs)
            self._cell = _Cell(_span(values.get("colspan")), _span(values.get("rowspan")))
            self.rows[-1].append(self._cell)

    def handle_endtag(self, tag: str) -> None:
        """End a cell; a row ends where the next one begins."""
        if tag in ("td", "th", "tr"):
            self._cell = None

    def handle_data(self, data: str) -> None:
        """Take in text."""
        if self._cell is not None:
            self._cell.texts.append(data)
        elif data.strip():
            self.rows.append([_Cell(1, 1, [data])])


def _span(text: str | None) -> int:
    if text is None or not text.isascii() or not text.isdigit():
        return 1
    return min(max(1, int(text[:6])), MOST_SPAN)


def _placed(rows: Sequence[Sequence[_Cell]]) -> list[list[str]]:
    """Return the texts of `rows` in a rectangle, with room for what cells cover."""
    placed: list[list[str]] = []
    covered: dict[int, int] = {}
    for row in filter(None, rows):
        texts: list[str] = []
        begun: dict[int, int] = {}
        for cell in row:
            _skip(texts, covered)
            begun.update(dict.fromkeys(range(len(texts), len(texts) + cell.columns), cell.rows))
            texts += [cell.text, *[""] * (cell.columns - 1)]
        _skip(texts, covered)
        placed.append(texts[:MOST_COLUMNS])
        covered = {column: left - 1 for column, left in (covered | begun).items() if left > 1}
    width = max((len(texts) for texts in placed), default=0)
    return [texts + [""] * (width - len(texts)) for texts in placed]


def _skip(texts: list[str], covered: dict[int, int]) -> None:
    """Leave the places empty that cells of rows above cover."""
    while len(texts) in covered:
        texts.append("")

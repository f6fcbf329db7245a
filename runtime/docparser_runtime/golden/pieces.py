"""Markdown taken apart into blocks of plain text and tables, in reading order.

Engines write tables as Markdown or as HTML; both become the same values here. What only marks text
up (headings, emphasis, bullets, escapes) is gone, numbers of list items stay.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.token import Token


@dataclass(frozen=True)
class Cell:
    """A cell of a table.

    Attributes:
        columns: columns that it spans.
        rows: rows that it spans.
    """

    text: str
    columns: int = 1
    rows: int = 1


Table = tuple[tuple[Cell, ...], ...]
"""Rows of cells."""


@dataclass(frozen=True)
class Piece:
    """A block; its text is one line."""

    text: str
    table: Table | None = None


# Definitions of links are never shown; text that looks like one must not vanish.
_PARSER: Final = MarkdownIt("commonmark").enable("table").disable("reference")
_HTML_TABLE: Final = re.compile(r"(<table\b.*?(?:</table\s*>|\Z))", re.IGNORECASE | re.DOTALL)
_BREAKS: Final = ("softbreak", "hardbreak")


def pieces(markdown: str) -> tuple[Piece, ...]:
    """Return the blocks of `markdown` that hold text."""
    found: list[Piece] = []
    for place, part in enumerate(_HTML_TABLE.split(markdown)):
        found += [_html_piece(part)] if place % 2 else _Blocks().of(part)
    return tuple(piece for piece in found if piece.text)


def plain_text(found: Iterable[Piece]) -> str:
    """Return the text of all pieces as one line."""
    return " ".join(piece.text for piece in found)


def clean(text: str) -> str:
    """Return `text` in normal form C (Unicode Standard Annex 15), its white space collapsed."""
    return " ".join(unicodedata.normalize("NFC", text).split())


@dataclass
class _Blocks:
    """Collects pieces from the parser's tokens."""

    found: list[Piece] = field(default_factory=list)
    rows: list[list[Cell]] = field(default_factory=list)
    mark: str = ""

    def of(self, source: str) -> list[Piece]:
        for token in _PARSER.parse(source):
            self._add(token)
        return self.found

    def _add(self, token: Token) -> None:
        match token.type:
            case "list_item_open":
                self.mark = f"{token.info}{token.markup} " if token.info else ""
            case "tr_open":
                self.rows.append([])
            case "table_close":
                self.found.append(_table_piece(self.rows))
                self.rows = []
            case "inline":
                self._add_text(_shown(token.children or ()))
            case "fence" | "code_block":
                self._add_text(token.content)
            case "html_block":
                self._add_text(_html_piece(token.content).text)

    def _add_text(self, text: str) -> None:
        if self.rows:
            self.rows[-1].append(Cell(clean(text)))
        else:
            self.found.append(Piece(clean(self.mark + text)))
            self.mark = ""


def _shown(tokens: Sequence[Token]) -> str:
    return "".join(_shown_parts(tokens))


def _shown_parts(tokens: Sequence[Token]) -> Iterator[str]:
    for token in tokens:
        if token.type in _BREAKS or (token.type == "html_inline" and token.content[:3] == "<br"):
            yield " "
        elif token.type != "html_inline":
            yield token.content


def _table_piece(rows: Sequence[Sequence[Cell]], caption: str = "") -> Piece:
    cells = " ".join(cell.text for row in rows for cell in row)
    return Piece(clean(f"{caption} {cells}"), tuple(tuple(row) for row in rows))


def _html_piece(source: str) -> Piece:
    reader = _HtmlReader()
    reader.feed(source)
    reader.close()
    rows = [[Cell(clean(text), *spans) for text, *spans in row] for row in reader.rows]
    return _table_piece(rows, reader.outside) if rows else Piece(clean(reader.outside))


class _HtmlReader(HTMLParser):
    """Collects cells, and the text outside of them."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[tuple[str, int, int]]] = []
        self.outside = ""
        self._in_cell = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Open a row or a cell. Tags of HTML need not be closed, so what opens counts."""
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows = self.rows or [[]]
            values = dict(attrs)
            self.rows[-1].append(("", _span(values, "colspan"), _span(values, "rowspan")))
        self._in_cell = tag in ("td", "th") or (self._in_cell and tag != "tr")
        if tag in ("br", "p", "li"):
            self.handle_data(" ")

    def handle_endtag(self, tag: str) -> None:
        """Close a cell."""
        self._in_cell = self._in_cell and tag not in ("td", "th", "tr", "table")

    def handle_data(self, data: str) -> None:
        """Add text to where the reader is."""
        if self._in_cell:
            text, columns, rows = self.rows[-1][-1]
            self.rows[-1][-1] = (text + data, columns, rows)
        else:
            self.outside += data


def _span(attributes: dict[str, str | None], name: str) -> int:
    value = attributes.get(name) or ""
    return int(value) if re.fullmatch(r"[1-9]\d{0,3}", value, re.ASCII) else 1

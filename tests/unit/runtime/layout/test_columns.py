"""Pages of several columns with what else stands on them, in the order in which they are read."""

import re
import time
from collections.abc import Sequence

import pytest
from docparser_runtime.engine.base import Block, BlockKind, Box
from docparser_runtime.layout.lines import TextLine
from docparser_runtime.layout.reading_order import regions
from docparser_runtime.layout.tables import Table
from unit.runtime.layout.pages import EM, LEADING, column, text_line

Piece = TextLine | Table
MOST_SECONDS = 0.2
"""CPU time for the order of 2,000 lines."""


def lines(letter: str, count: int, left: float, top: float, width: float = 300) -> list[TextLine]:
    texts = [f"{letter}{at} goes on" for at in range(count)]
    return column(texts, left, top, width=width)


def table(left: float, top: float, right: float, bottom: float) -> Table:
    return Table(Block(BlockKind.TABLE, "table", "table", Box(left, top, right, bottom)))


def heading(text: str, baseline: float, left: float = 100) -> TextLine:
    return text_line(f"{text} stands above all of the columns", left, baseline, size=1.4 * EM)


def order(pieces: Sequence[Piece]) -> str:
    """Return the first words of the pieces, and of the lines of a column only the letter."""
    words = [
        re.sub(r"(?<=[a-z])\d+", "", piece.text.split()[0])
        if isinstance(piece, TextLine)
        else "table"
        for region in regions(pieces, EM)
        for row in region
        for piece in row
    ]
    return " ".join(
        word for at, word in enumerate(words) if at == 0 or word != words[at - 1] or word == "table"
    )


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        pytest.param([*lines("a", 12, 100, 200), *lines("b", 4, 450, 200)], "a b", id="left long"),
        pytest.param([*lines("a", 3, 100, 200), *lines("b", 14, 450, 200)], "a b", id="right long"),
        pytest.param(
            [
                *lines("a", 10, 100, 200, 220),
                *lines("b", 7, 350, 200, 220),
                *lines("c", 3, 600, 200, 220),
            ],
            "a b c",
            id="three of unequal height",
        ),
        pytest.param([*lines("a", 6, 100, 110), *lines("b", 1, 450, 110)], "a b", id="a last line"),
        pytest.param(
            [
                heading("First", 100),
                *lines("a", 8, 100, 160),
                *lines("b", 4, 450, 160),
                heading("Second", 420),
                *lines("c", 5, 100, 480),
                *lines("d", 5, 450, 480),
            ],
            "First a b Second c d",
            id="headings across, columns of unequal height",
        ),
        pytest.param(
            [
                text_line("Over two of three columns", 100, 150, width=470),
                *lines("a", 5, 100, 200, 220),
                *lines("b", 5, 350, 200, 220),
                *lines("c", 7, 600, 150, 220),
            ],
            "Over a b c",
            id="a heading across two of three columns",
        ),
        pytest.param(
            [
                *lines("a", 3, 100, 100),
                text_line("Methods", 100, 200, size=1.3 * EM),
                *lines("b", 4, 100, 240),
                *lines("c", 9, 450, 100),
            ],
            "a Methods b c",
            id="a heading inside of a column",
        ),
        pytest.param(
            [
                text_line("Left", 100, 100, size=1.3 * EM),
                *lines("a", 4, 100, 140),
                text_line("Right", 450, 100, size=1.3 * EM),
                *lines("b", 4, 450, 140),
            ],
            "Left a Right b",
            id="a heading at the top of each column",
        ),
        pytest.param(
            [
                *lines("a", 3, 100, 100),
                table(100, 190, 400, 290),
                *lines("b", 3, 100, 320),
                *lines("c", 11, 450, 100),
            ],
            "a table b c",
            id="a table inside of the left column",
        ),
        pytest.param(
            [
                *lines("a", 11, 100, 100),
                *lines("b", 3, 450, 100),
                table(450, 190, 750, 290),
                *lines("c", 3, 450, 320),
            ],
            "a b table c",
            id="a table inside of the right column",
        ),
        pytest.param(
            [*lines("a", 9, 100, 100), table(450, 100, 750, 290)],
            "a table",
            id="a table that is a column",
        ),
        pytest.param(
            [
                *lines("a", 3, 100, 100),
                *lines("b", 3, 450, 100),
                table(100, 200, 750, 300),
                *lines("c", 3, 100, 330),
                *lines("d", 3, 450, 330),
            ],
            "a b table c d",
            id="a table across both columns",
        ),
        pytest.param(
            [*lines("a", 3, 100, 100), *lines("b", 3, 100, 400), *lines("c", 14, 450, 100)],
            "a b c",
            id="a figure inside of a column",
        ),
        pytest.param(
            [*lines("a", 3, 100, 100), *lines("b", 5, 100, 400), *lines("c", 4, 450, 100)],
            "a b c",
            id="a figure that begins where the other column ends",
        ),
        pytest.param(
            [*lines("a", 3, 100, 100), *lines("b", 5, 100, 400, 90), *lines("c", 4, 450, 100)],
            "a c b",
            id="a list below both columns",
        ),
        pytest.param(
            [
                *lines("a", 8, 100, 100, 220),
                text_line("Caption of a figure", 350, 250),
                *lines("b", 7, 600, 100, 220),
            ],
            "a Caption b",
            id="a figure that is a column",
        ),
        pytest.param(
            [
                *lines("a", 3, 100, 100),
                *lines("b", 3, 450, 100),
                text_line("Figure 1 shows what spans both of the columns", 100, 420, size=0.9 * EM),
                *lines("c", 4, 100, 460),
                *lines("d", 4, 450, 460),
            ],
            "a b Figure c d",
            id="a figure across both columns and its caption",
        ),
        pytest.param(
            [*lines("a", 8, 100, 100), *lines("b", 8, 450, 100), text_line("7", 420, 350)],
            "a b 7",
            id="a page number below the gutter",
        ),
        pytest.param(
            [
                *lines("a", 8, 100, 110),
                *lines("b", 8, 450, 110),
                text_line("Journal", 100, 380),
                text_line("42", 720, 380),
            ],
            "a b Journal 42",
            id="a footer in two parts",
        ),
        pytest.param(
            [
                heading("Title", 60),
                *column(["Abstract that is narrower", "Abstract still"], 200, 110, width=450),
                *lines("a", 5, 100, 200),
                *lines("b", 5, 450, 200),
            ],
            "Title Abstract a b",
            id="an abstract across the gutter",
        ),
        pytest.param(
            [*lines("a", 6, 100, 110, 330), *lines("b", 6, 448, 110, 330)],
            "a b",
            id="a narrow gutter",
        ),
    ],
)
@pytest.mark.parametrize("step", [1, -1])
def test_pieces_and_order(pieces: Sequence[Piece], expected: str, step: int) -> None:
    # Whatever finds the lines finds them in no order.
    assert order(pieces[::step]) == expected


def test_one_line_beside_few_is_no_column() -> None:
    address = column(["Ada Lovelace", "Some Street 12", "London"], 100, 100)
    assert order([*address, text_line("12 March 1842, London", 450, 100)]) == "Ada 12 Some London"


@pytest.mark.parametrize("columns", [1, 2, 3, 40])
def test_many_lines_take_no_time(columns: int) -> None:
    many = [
        text_line("a word", 100 + 240 * (at % columns), 100 + LEADING * (at // columns), width=210)
        for at in range(2000)
    ]
    taken = []
    for _ in range(3):
        began = time.process_time()
        found = regions(many, EM)
        taken.append(time.process_time() - began)
    assert sum(len(row) for region in found for row in region) == 2000
    assert min(taken) <= MOST_SECONDS

"""Ruled tables found in drawn pixels, and tables that only white space holds together."""

from collections.abc import Sequence

import numpy as np
import pytest
from docparser_runtime.engine.base import BlockKind, Box
from docparser_runtime.layout.lines import TextLine
from docparser_runtime.layout.rules import Cell, Grid, grids, pieces
from docparser_runtime.layout.tables import filled, is_tabular, unruled
from numpy.typing import NDArray
from PIL import Image, ImageDraw
from unit.runtime.layout.pages import EM, text_line

WIDTH, HEIGHT = 800, 1000
XS = (100, 300, 450, 700)
YS = (200, 240, 280, 340)


def page(rules: Sequence[tuple[int, int, int, int]], thickness: int = 2) -> NDArray[np.uint8]:
    """Return a white page with black lines from (x, y) to (x, y)."""
    image = Image.new("L", (WIDTH, HEIGHT), 255)
    draw = ImageDraw.Draw(image)
    for rule in rules:
        draw.line(rule, fill=0, width=thickness)
    return np.asarray(image)


def lattice(xs: Sequence[int] = XS, ys: Sequence[int] = YS) -> list[tuple[int, int, int, int]]:
    flat = [(xs[0], y, xs[-1], y) for y in ys]
    upright = [(x, ys[0], x, ys[-1]) for x in xs]
    return [*flat, *upright]


def near(box: Box, left: float, top: float, right: float, bottom: float) -> bool:
    found = (box.left, box.top, box.right, box.bottom)
    return all(abs(a - b) <= 5 for a, b in zip(found, (left, top, right, bottom), strict=True))


@pytest.mark.parametrize("thickness", [1, 2, 4])
def test_a_lattice_is_a_grid(thickness: int) -> None:
    (grid,) = grids(page(lattice(), thickness))
    assert (grid.row_count, grid.column_count, len(grid.cells)) == (3, 3, 9)
    assert near(grid.cells[4].box, 300, 240, 450, 280)


def test_white_rules_on_black_are_a_grid_as_well() -> None:
    (grid,) = grids(255 - page(lattice()))
    assert len(grid.cells) == 9


def test_open_sides_are_sides() -> None:
    flat = [(100, y, 700, y) for y in YS]
    (grid,) = grids(page([*flat, (300, 200, 300, 340), (450, 200, 450, 340)]))
    assert (grid.row_count, grid.column_count) == (3, 3)
    assert near(grid.box, 100, 200, 700, 340)


def test_a_missing_wall_makes_one_cell_of_two() -> None:
    rules = [rule for rule in lattice() if rule[0] != 300 or rule[2] != 300]
    (grid,) = grids(page([*rules, (300, 240, 300, 340)]))
    (head,) = [cell for cell in grid.cells if (cell.row, cell.column) == (0, 0)]
    assert near(head.box, 100, 200, 450, 240)
    assert len(grid.cells) == 8


def test_cells_join_in_both_directions() -> None:
    walls = [(300, 280, 300, 340), (450, 200, 450, 340), (450, 240, 700, 240)]
    frame = [rule for rule in lattice() if rule[:2] == (100, 200) or rule[2:] == (700, 340)]
    (grid,) = grids(page([*frame, *walls, (100, 280, 700, 280)]))
    (large,) = [cell for cell in grid.cells if (cell.row, cell.column) == (0, 0)]
    assert near(large.box, 100, 200, 450, 280)
    assert len(grid.cells) == 6


def test_two_tables_are_two_grids() -> None:
    lower = [(x0, y0 + 400, x1, y1 + 400) for x0, y0, x1, y1 in lattice()]
    assert len(grids(page([*lattice(), *lower]))) == 2


@pytest.mark.parametrize(
    "rules",
    [
        pytest.param([], id="nothing"),
        pytest.param([(100, 200, 700, 200), (100, 240, 700, 240)], id="rules that meet no other"),
        pytest.param(lattice((100, 700), (200, 340)), id="a box"),
        pytest.param(lattice((100, 700), YS), id="boxes one below the other"),
        pytest.param(lattice(range(100, 700, 9), range(100, 900, 9)), id="graph paper"),
    ],
)
def test_what_is_no_table(rules: Sequence[tuple[int, int, int, int]]) -> None:
    assert grids(page(rules)) == []


def test_filled_areas_are_no_rules() -> None:
    image = np.full((HEIGHT, WIDTH), 255, np.uint8)
    for top in range(200, 500, 60):
        for left in range(100, 500, 90):
            image[top : top + 40, left : left + 70] = 0
    assert grids(image) == []


GRID = Grid(
    2,
    2,
    (
        Cell(0, 0, Box(100, 100, 300, 140)),
        Cell(0, 1, Box(300, 100, 500, 140)),
        Cell(1, 0, Box(100, 140, 300, 220)),
        Cell(1, 1, Box(300, 140, 500, 220)),
    ),
)


def test_a_line_across_a_wall_is_cut_there() -> None:
    left, right = pieces(Box(250, 110, 450, 135), GRID)
    assert (left.left, right.right) == (250, 450)
    assert left.right < 300 < right.left


def test_a_line_that_barely_touches_the_next_cell_stays_in_its_own() -> None:
    (piece,) = pieces(Box(200, 110, 305, 135), GRID)
    assert piece.right < 300


def test_a_line_much_higher_than_its_cell_is_left_alone() -> None:
    box = Box(110, -900, 290, 1140)
    assert pieces(box, GRID) == [box]


def test_a_line_outside_is_left_alone() -> None:
    box = Box(250, 300, 450, 325)
    assert pieces(box, GRID) == [box]


def test_text_goes_to_its_cell_and_the_rest_stays() -> None:
    lines = [
        text_line("Head", 110, 130),
        text_line("b|c", 310, 130),
        text_line("two", 310, 165),
        text_line("lines", 310, 195),
        text_line("outside", 110, 300),
    ]
    (table,), rest = filled([GRID], lines)
    assert table.block.kind is BlockKind.TABLE
    assert table.block.text == "Head\tb|c\n\ttwo lines"
    assert table.block.markdown == "| Head | b\\|c |\n| --- | --- |\n|  | two lines |"
    assert [line.text for line in rest] == ["outside"]


def test_an_empty_grid_is_no_table() -> None:
    labels = [text_line("x", 480, 210), text_line("y", 110, 130)]
    assert filled([GRID], labels) == ([], labels)


def rows_of_words(*rows: str) -> list[list[TextLine]]:
    """Return rows whose words stand in columns 200 pixels apart; a dot is an empty place."""
    return [
        [
            text_line(word, 100 + 200 * column, 100 + 30 * row)
            for column, word in enumerate(text.split())
            if word != "."
        ]
        for row, text in enumerate(rows)
    ]


def test_regular_rows_without_rules_are_a_table() -> None:
    table = unruled(rows_of_words("Country Capital People", "Norway Oslo 5.5", "Iceland . 0.4"), EM)
    assert table is not None
    assert table.block.text == "Country\tCapital\tPeople\nNorway\tOslo\t5.5\nIceland\t\t0.4"


@pytest.mark.parametrize(
    "rows",
    [
        ("Name Ada", "Born 1815", "Job Mathematician"),
        ("one two three", "four five six"),
        ("a b c", "d . .", ". e .", ". . f"),
    ],
)
def test_other_rows_without_rules_are_none(rows: tuple[str, ...]) -> None:
    assert unruled(rows_of_words(*rows), EM) is None


def test_a_row_with_wide_gaps_is_tabular() -> None:
    assert is_tabular([text_line("a"), text_line("b", 200)], EM)
    assert not is_tabular([text_line("a"), text_line("b", 120)], EM)
    assert not is_tabular([text_line("a")], EM)

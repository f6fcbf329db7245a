from collections.abc import Sequence

from docparser_runtime.layout.lines import TextLine
from docparser_runtime.layout.reading_order import regions
from unit.runtime.layout.pages import EM, column, text_line

LEFT = ["left one is full", "left two is full", "left three"]
MIDDLE = ["middle one is full", "middle two is full", "middle three"]
RIGHT = ["right one is full", "right two is full", "right three"]


def order(lines: Sequence[TextLine]) -> list[str]:
    return [
        " | ".join(piece.text for piece in row) for region in regions(lines, EM) for row in region
    ]


def test_one_column_is_read_downwards() -> None:
    lines = column(LEFT)
    assert order(lines[::-1]) == LEFT
    assert len(regions(lines, EM)) == 1


def test_two_columns_with_level_lines() -> None:
    assert order([*column(RIGHT, left=400), *column(LEFT)]) == [*LEFT, *RIGHT]


def test_two_columns_whose_lines_are_not_level() -> None:
    assert order([*column(RIGHT, left=400, top=111), *column(LEFT)]) == [*LEFT, *RIGHT]


def test_three_columns_below_a_title_across_all() -> None:
    title = text_line("A title that spans all of the three columns of this page", baseline=50)
    body = [*column(LEFT, top=120), *column(MIDDLE, 350, 120), *column(RIGHT, 600, 120)]
    assert order([*body, title]) == [title.text, *LEFT, *MIDDLE, *RIGHT]


def test_columns_of_different_length() -> None:
    assert order([*column(LEFT[:2]), *column([*RIGHT, *MIDDLE], left=400)]) == [
        *LEFT[:2],
        *RIGHT,
        *MIDDLE,
    ]


def test_a_wide_heading_between_columns_separates_them() -> None:
    heading = text_line("A heading that spans both columns of the page", baseline=205)
    lower = [*column(LEFT, top=260), *column(RIGHT, left=400, top=260)]
    upper = [*column(MIDDLE, top=100), *column(MIDDLE, left=400, top=100)]
    assert order([*lower, heading, *upper]) == [*MIDDLE, *MIDDLE, heading.text, *LEFT, *RIGHT]


def test_a_footer_far_below_comes_last() -> None:
    footer = text_line("page 7", baseline=400)
    assert order([footer, *column(LEFT), *column(RIGHT, left=400)]) == [
        *LEFT,
        *RIGHT,
        "page 7",
    ]


def test_columns_inside_of_a_column() -> None:
    narrow = ["nine letters", "eight letter", "ten letters"]
    inner = [*column(narrow, 400, 140), *column(LEFT, 600, 140)]
    outer = text_line("the outer right column is wide enough", 400, 100)
    lines = [*column([*LEFT, *MIDDLE]), outer, *inner]
    assert order(lines) == [*LEFT, *MIDDLE, outer.text, *narrow, *LEFT]


def test_labels_and_values_are_read_across() -> None:
    labels = column(["Name", "Born", "Job"])
    values = column(["Ada Lovelace of London", "December 1815, London", "Mathematician"], left=300)
    assert order([*labels, *values]) == [
        "Name | Ada Lovelace of London",
        "Born | December 1815, London",
        "Job | Mathematician",
    ]


def test_a_line_found_in_two_parts_is_one_row() -> None:
    lines = [text_line("first part"), text_line("second part", 215), *column(LEFT, top=126)]
    assert order(lines) == ["first part | second part", *LEFT]


def test_an_empty_page() -> None:
    assert regions([], EM) == []

"""Whole pages, from lines to blocks and Markdown."""

from docparser_runtime.engine.base import Box
from docparser_runtime.layout.page import page_result
from docparser_runtime.layout.rules import Cell, Grid
from hypothesis import given
from hypothesis import strategies as st
from unit.runtime.layout.pages import EM, LEADING, column, text_line

BODY = ["a line that fills the whole column to its end", "and its rest."]


def test_an_empty_page() -> None:
    result = page_result([])
    assert (result.markdown, result.blocks, result.vision_tokens) == ("", (), 0)


def test_sizes_make_title_and_headings() -> None:
    lines = [
        text_line("Title", baseline=60, size=2 * EM),
        text_line("Chapter", baseline=120, size=1.5 * EM),
        *column(BODY, top=160),
        text_line("Section", baseline=230, size=1.25 * EM),
        *column(BODY, top=260),
    ]
    result = page_result(lines)
    assert result.markdown == (
        f"# Title\n\n## Chapter\n\n{BODY[0]} {BODY[1]}\n\n### Section\n\n{BODY[0]} {BODY[1]}"
    )
    assert [(block.kind, block.level) for block in result.blocks] == [
        ("title", 1),
        ("heading", 2),
        ("paragraph", None),
        ("heading", 3),
        ("paragraph", None),
    ]


def test_blocks_carry_text_place_and_confidence() -> None:
    (block,) = page_result(column(["snow*flake", "melts."])).blocks
    assert (block.text, block.markdown) == ("snow*flake melts.", "snow\\*flake melts.")
    assert block.box == Box(100, 100 - 0.72 * EM, 200, 100 + LEADING)
    assert block.confidence == 0.9


@given(
    places=st.lists(
        st.tuples(
            st.integers(0, 900), st.integers(30, 900), st.integers(1, 3), st.integers(15, 40)
        ),
        max_size=30,
    ),
    has_grid=st.booleans(),
)
def test_no_word_is_lost_or_doubled(
    *, places: list[tuple[int, int, int, int]], has_grid: bool
) -> None:
    lines = [
        text_line(" ".join(f"w{at}x{word}" for word in range(words)), left, baseline, size=size)
        for at, (left, baseline, words, size) in enumerate(places)
    ]
    cells = tuple(
        Cell(row, side, Box(300 * side, 300 * row, 300 * side + 300, 300 * row + 300))
        for row in range(2)
        for side in range(2)
    )
    result = page_result(lines, [Grid(2, 2, cells)] if has_grid else [])
    read = sorted(word for block in result.blocks for word in block.text.split())
    assert read == sorted(word for line in lines for word in line.text.split())


def test_items_make_one_list() -> None:
    result = page_result(column([*BODY, "• one", "• two", "Plain again, after the list."]))
    assert result.markdown == (
        f"{BODY[0]} {BODY[1]}\n\n- one\n- two\n\nPlain again, after the list."
    )
    assert [block.text for block in result.blocks if block.kind == "list"] == ["• one\n• two"]


def test_a_table_stands_where_it_is_read() -> None:
    cells = tuple(
        Cell(row, side, Box(100 + 150 * side, 150 + 40 * row, 250 + 150 * side, 190 + 40 * row))
        for row in range(2)
        for side in range(2)
    )
    inside = [
        text_line(word, 110 + 150 * (at % 2), 180 + 40 * (at // 2))
        for at, word in enumerate(("a", "b", "c", "d"))
    ]
    lines = [text_line("above", baseline=100), *inside, text_line("below", baseline=280)]
    result = page_result(lines, [Grid(2, 2, cells)])
    assert result.markdown == "above\n\n| a | b |\n| --- | --- |\n| c | d |\n\nbelow"


def test_rows_of_a_form_stay_rows() -> None:
    lines = [*column(["Name:", "Born:"]), *column(["Ada Lovelace", "December 1815"], left=300)]
    assert page_result(lines).markdown == "Name: Ada Lovelace\n\nBorn: December 1815"


def test_a_table_without_rules() -> None:
    lines = [
        line
        for at, words in enumerate((("Land", "North", "East"), ("City", "Oslo", "Riga")))
        for line in column([*words, *words], left=100 + 300 * at)
    ]
    numbers = column(["Mill.", "5.5", "1.8", "x", "y", "z"], left=700)
    result = page_result([*lines, *numbers])
    assert result.markdown.splitlines()[:3] == [
        "| Land | City | Mill. |",
        "| --- | --- | --- |",
        "| North | Oslo | 5.5 |",
    ]

from collections.abc import Sequence

import pytest
from docparser_runtime.layout.lines import TextLine
from docparser_runtime.layout.paragraphs import is_item, joined, merged, paragraphs
from unit.runtime.layout.pages import EM, LEADING, column, text_line

FULL = "a line that fills the whole column to its end"
WIDTH = 450


def texts(lines: Sequence[TextLine]) -> list[str]:
    return [paragraph.text for paragraph in paragraphs(lines)]


def lines_at(*placed: tuple[str, float, float]) -> list[TextLine]:
    """Return full lines with these texts, indents and baselines in leadings."""
    return [
        text_line(text, 100 + indent, 100 + row * LEADING, width=WIDTH - indent)
        for text, indent, row in placed
    ]


def test_full_lines_run_on() -> None:
    assert texts(column([FULL, FULL, "and a rest."], width=WIDTH)) == [f"{FULL} {FULL} and a rest."]


def test_a_wide_gap_begins_a_paragraph() -> None:
    lines = lines_at(("one", 0, 0), ("two", 0, 1), ("three", 0, 2.5), ("four", 0, 3.5))
    assert texts(lines) == ["one two", "three four"]


def test_double_spacing_is_no_gap() -> None:
    lines = lines_at(("one", 0, 0), ("two", 0, 1.8), ("three", 0, 3.6), ("four", 0, 6))
    assert texts(lines) == ["one two three", "four"]


def test_an_indent_begins_a_paragraph() -> None:
    lines = lines_at(("one", EM, 0), ("two", 0, 1), ("three", EM, 2), ("four", 0, 3))
    assert texts(lines) == ["one two", "three four"]


def test_a_short_line_ends_a_paragraph() -> None:
    short = text_line("ends here", 100, 100 + LEADING)
    lines = [*lines_at((FULL, 0, 0)), short, *lines_at((FULL, 0, 2))]
    assert texts(lines) == [f"{FULL} ends here", FULL]


def test_a_sentence_that_left_room_for_the_next_word_ends_a_paragraph() -> None:
    nearly_full = text_line("a sentence ends.", 100, 100, width=WIDTH - 100)
    assert texts([nearly_full, *lines_at((FULL, 0, 1))]) == ["a sentence ends.", FULL]


def test_a_ragged_line_without_room_for_the_next_word_runs_on() -> None:
    ragged = text_line("a sentence ends.", 100, 100, width=WIDTH - 100)
    long_word = text_line("incomprehensibility is long", 100, 126, width=WIDTH)
    assert len(texts([ragged, long_word])) == 1


def test_other_type_begins_a_paragraph() -> None:
    heading = text_line("Heading", 100, 100, size=1.4 * EM, width=WIDTH)
    assert texts([heading, *lines_at((FULL, 0, 1))]) == ["Heading", FULL]


def test_items_begin_anew_and_their_lines_belong_to_them() -> None:
    lines = [
        *lines_at(("• first", 0, 0), ("goes on", EM, 1), ("• second", 0, 2)),
        text_line("ends", 100 + EM, 100 + 3 * LEADING),
        *lines_at(("plain text", 0, 4)),
    ]
    assert texts(lines) == ["• first goes on", "• second ends", "plain text"]


def test_a_number_in_mid_sentence_is_no_item() -> None:
    lines = lines_at(("the mill was founded in", 0, 0), ("1897. It burnt down", 0, 1))
    assert texts(lines) == ["the mill was founded in 1897. It burnt down"]
    dashed = lines_at(("the mill, they say", 0, 0), ("– or some of it – burnt", 0, 1))  # noqa: RUF001
    assert len(texts(dashed)) == 1


@pytest.mark.parametrize(
    "text",
    ["• one", "- one", "1. one", "12) one", "(a) one", "b) one", "iv) one", "– one"],  # noqa: RUF001
)
def test_items(text: str) -> None:
    assert is_item(text)


@pytest.mark.parametrize(
    "text", ["J. Smith", "-5 degrees", "1.5 m", "2019 was", "(see above)", "•"]
)
def test_no_items(text: str) -> None:
    assert not is_item(text)


@pytest.mark.parametrize(
    ("parts", "whole"),
    [
        (["two", "words"], "two words"),
        (["hyphen-", "ated"], "hyphenated"),
        (["Jean-", "Paul"], "Jean- Paul"),
        (["from 3-", "5"], "from 3- 5"),
        (["a dash -", "no hyphen"], "a dash - no hyphen"),
        (["紙と", "水"], "紙と水"),
        (["紙と", "water"], "紙と water"),
        ([], ""),
    ],
)
def test_joining_lines(parts: list[str], whole: str) -> None:
    assert joined(parts) == whole


def test_merging_a_row() -> None:
    row = merged([text_line("one"), text_line("two", 200)])
    assert row.text == "one two"
    assert (row.box.left, row.box.right, row.size) == (100, 230, EM)


def test_no_lines() -> None:
    assert paragraphs([]) == []

from time import process_time

import pytest
from docparser_runtime.outputs.letter_widths import LETTER_WIDTHS, letter_width, text_width
from docparser_runtime.outputs.line_breaks import broken
from hypothesis import given
from hypothesis import strategies as st

SENTENCE = "Paper keeps what people agreed on, long after the meeting is over and forgotten."
IDEOGRAPHS = "紙は人々が合意したことを会議が終わって忘れられたずっと後まで留めている"


def lines_of(text: str, most: float) -> list[str]:
    """Return `text` set in lines of at most `most` ems, as a printer would."""
    lines = [""]
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}".strip()
        if text_width(longer) <= most:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


@pytest.mark.parametrize("most", [6, 10, 15, 25, 80])
def test_words_go_where_they_were(most: float) -> None:
    lines = lines_of(SENTENCE, most)
    assert broken(SENTENCE, [text_width(line) * 17 for line in lines]) == lines


def test_ideographs_break_anywhere() -> None:
    lines = [IDEOGRAPHS[at : at + 9] for at in range(0, len(IDEOGRAPHS), 9)]
    assert broken(IDEOGRAPHS, [text_width(line) for line in lines]) == lines


def test_items_begin_lines() -> None:
    items = ["• one", "• two is longer", "• three"]
    assert broken("\n".join(items), [30, 80, 44]) == items


def test_lines_without_words_are_empty() -> None:
    assert broken("one", [1, 50, 1]) == ["", "one", ""]
    assert broken(" \n ", [1, 2]) == ["", ""]
    assert broken("one", []) == []


def test_endless_text_takes_no_endless_time() -> None:
    text = "again " * 5_000
    began = process_time()
    lines = broken(text, [500.0] * 20)
    assert process_time() - began < 5
    assert sum(line.count("again") for line in lines) == 5_000


words = st.lists(st.text("ab漢. \n-", min_size=1, max_size=8), max_size=12).map(" ".join)
lengths = st.lists(st.floats(0.5, 900), min_size=1, max_size=6)


@given(words, lengths)
def test_no_word_is_lost(text: str, given_lengths: list[float]) -> None:
    lines = broken(text, given_lengths)
    assert len(lines) == len(given_lengths)
    assert "".join("".join(lines).split()) == "".join(text.split())


@given(st.characters(exclude_categories=["Cs"]))
def test_every_letter_has_one_of_the_widths(letter: str) -> None:
    assert letter_width(letter) in LETTER_WIDTHS

"""Scores by hand, and what holds for all texts."""

import random

import pytest
from docparser_runtime.golden.order import reading_order
from docparser_runtime.golden.pieces import Cell, pieces
from docparser_runtime.golden.scores import Scores, scores, worst_scores
from docparser_runtime.golden.tables import MOST_NODES, table_similarity, teds
from hypothesis import given
from hypothesis import strategies as st

TABLE = "| a | b |\n|---|---|\n| c | d |\n"
HTML = "<table><tr><th>a</th><th>b</th></tr><tr><td>c</td><td>d</td></tr></table>"
WORDS = st.lists(st.text("abcdefghij", min_size=1, max_size=8), min_size=1, max_size=8)
PARAGRAPHS = st.lists(WORDS, min_size=1, max_size=5)
CELLS = st.builds(Cell, st.text("abc", max_size=4), st.integers(1, 2), st.integers(1, 2))
TABLES = st.lists(st.lists(CELLS, min_size=1, max_size=3).map(tuple), min_size=1, max_size=4)


def a_table(*rows: str) -> tuple[tuple[Cell, ...], ...]:
    """Return a table with a cell for each letter of each row."""
    return tuple(tuple(Cell(letter) for letter in row) for row in rows)


@pytest.mark.parametrize(
    ("expected", "actual", "rate"),
    [
        ("# A *bold* claim", "A bold claim", 0),
        ("1\\. not a list", "1. not a list", 0),
        ("- one\n- two", "* one\n* two", 0),
        ("Stra\u00dfe caf\u00e9", "Stra\u00dfe cafe\u0301", 0),
        (TABLE, HTML, 0),
        ("abcd", "abxd", 0.25),
        ("abcd", "abcdefghi", 1),
        ("abcd", "", 1),
        ("", "abcd", 1),
        ("", "", 0),
        ("a &amp; b &lt; c", "a & b < c", 0),
        ("[x]: is no link", "x", 0.93),
    ],
)
def test_character_error_rates(expected: str, actual: str, rate: float) -> None:
    assert scores(expected, actual).character_error_rate == pytest.approx(rate, abs=0.005)


@pytest.mark.parametrize(
    ("expected", "actual", "similarity"),
    [
        (("ab", "cd"), ("ab", "cd"), 1),
        (("ab", "cd"), ("ab", "cx"), 6 / 7),  # one of seven nodes is another
        (("ab", "cd"), ("ab",), 4 / 7),  # a row and its two cells are missing
        (("ab", "cd"), ("abcd",), 4 / 7),  # two rows away, one in: the cells move freely
        (("ab",), ("ab", *["xy"] * 20), 0),
    ],
)
def test_table_similarities(
    expected: tuple[str, ...], actual: tuple[str, ...], similarity: float
) -> None:
    assert teds(a_table(*expected), a_table(*actual)) == pytest.approx(similarity)


def test_spans_make_a_cell_another() -> None:
    assert teds(((Cell("a", 2),),), ((Cell("a"),),)) == pytest.approx(2 / 3)
    assert teds(((Cell("ab"),),), ((Cell("ax"),),)) == pytest.approx(1 - 0.5 / 3)


def test_a_table_without_counterpart_counts_as_nothing() -> None:
    one, other = a_table("ab", "cd"), a_table("xyz")
    assert table_similarity([one, other], [other, one]) == 1
    assert table_similarity([one, other], [one]) == 0.5
    assert table_similarity([one], [one, other]) == 0.5
    assert table_similarity([], [one]) is None


def test_a_long_table_is_compared_in_bands() -> None:
    rows = ["abcd"] * MOST_NODES
    changed = [*rows[:-1], "abcx"]
    nodes = 1 + 5 * MOST_NODES
    assert teds(a_table(*rows), a_table(*changed)) == pytest.approx(1 - 1 / nodes)
    assert teds(a_table(*rows), a_table(*rows[:-1])) == pytest.approx(1 - 5 / nodes)


@pytest.mark.parametrize(
    ("actual", "order"),
    [
        ("first block here\n\nsecond piece there\n\nthird part anywhere", 1),
        ("first block here second piece there\n\nthird part\n\nanywhere", 1),  # cut differently
        ("second piece there\n\nfirst block here\n\nthird part anywhere", 1 / 3),
        ("third part anywhere\n\nsecond piece there\n\nfirst block here", 1 / 3),
        ("first block here\n\nthird part anywhere", 2 / 3),
        ("f1rst bl0ck here\n\nsecond piece there\n\nth1rd part anywhere", 1),
        ("", 0),
    ],
)
def test_reading_orders(actual: str, order: float) -> None:
    expected = "first block here\n\nsecond piece there\n\nthird part anywhere"
    assert scores(expected, actual).reading_order == pytest.approx(order)


def test_blocks_that_occur_again_keep_their_order() -> None:
    assert reading_order(["no", "note", "no"], ["no", "note", "no"]) == 1


@pytest.mark.parametrize("loop", ["again ", "<!--", "[", "|a|b|\n"])
def test_an_endless_loop_is_scored_soon(loop: str) -> None:
    found = scores("a text that is known", loop * 1_000_000)
    assert (found.character_error_rate, found.reading_order) == (1, 0)


def test_what_was_not_read_is_worst() -> None:
    assert worst_scores("text") == Scores(1.0, 0.0, None) == scores("text", "")
    assert worst_scores(TABLE) == Scores(1.0, 0.0, 0.0) == scores(TABLE, "")


def test_tables_of_markdown_and_html_are_the_same() -> None:
    (one,), (other,) = pieces(TABLE), pieces(HTML)
    assert one == other
    spanned = "<table><tr><td colspan=2>a<br>b<td rowspan='3'>c</table>after"
    table, after = pieces(spanned)
    assert table.table == ((Cell("a b", 2), Cell("c", 1, 3)),)
    assert after.text == "after"


def test_a_table_that_was_cut_off_is_still_one() -> None:
    (piece,) = pieces("<table><tr><td>a</td><td>b")
    assert piece.table == ((Cell("a"), Cell("b")),)


@given(PARAGRAPHS)
def test_equal_texts_are_perfect_whatever_the_white_space(paragraphs: list[list[str]]) -> None:
    one = "\n\n".join(" ".join(words) for words in paragraphs)
    other = "\n\n\n".join("  \n ".join(words) for words in paragraphs) + "\n"
    assert scores(one, one) == scores(one, other) == Scores(0.0, 1.0, None)


@given(st.text(max_size=60), st.text(max_size=60))
def test_scores_stay_within_bounds(one: str, other: str) -> None:
    found = scores(one, other)
    assert 0 <= found.character_error_rate <= 1
    assert 0 <= found.reading_order <= 1
    assert found.table_similarity is None or 0 <= found.table_similarity <= 1
    same = scores(one, one)
    assert (same.character_error_rate, same.reading_order) == (0, 1)


@given(PARAGRAPHS)
def test_nothing_and_something_are_far_apart_both_ways(paragraphs: list[list[str]]) -> None:
    text = "\n\n".join(" ".join(words) for words in paragraphs)
    assert scores(text, "").character_error_rate == scores("", text).character_error_rate == 1


@given(TABLES.map(tuple), TABLES.map(tuple))
def test_similarity_of_tables_is_a_similarity(
    one: tuple[tuple[Cell, ...], ...], other: tuple[tuple[Cell, ...], ...]
) -> None:
    assert teds(one, one) == 1
    assert 0 <= teds(one, other) <= 1
    assert (teds(one, other) == 1) == (one == other)


@given(st.integers(2, 8), st.randoms(use_true_random=False))
def test_any_other_order_is_worse(count: int, chance: random.Random) -> None:
    names = ("anchor", "bridge", "cellar", "donkey", "engine", "forest", "garden", "hammer")
    blocks = [f"{name} " * 4 for name in names[:count]]
    other = chance.sample(blocks, count)
    found = scores("\n\n".join(blocks), "\n\n".join(other)).reading_order
    assert (found == 1) == (other == blocks)

"""What a report tells, and that it always fits into a termination message."""

from pathlib import Path

import pytest
from docparser_api.golden import (
    MOST_BYTES,
    Comparison,
    Failure,
    GoldenReport,
    Side,
    line_of,
    outcome_of,
)
from docparser_runtime.golden.client import Answer
from docparser_runtime.golden.documents import GoldenDocument, GoldenError
from docparser_runtime.golden.paired import comparison
from docparser_runtime.golden.report import Scored, fitted, report
from docparser_runtime.golden.scores import Scores
from hypothesis import given
from hypothesis import strategies as st

GOOD = Scores(0.0, 1.0, None)
SAME = Comparison(canary=0, stable=0, difference=0, lower=0, upper=0)


def a_document(name: str, expected: str = "some text") -> GoldenDocument:
    return GoldenDocument(name, name.partition("__")[0], Path(f"{name}.png"), expected)


def answered(**texts: str | None) -> dict[tuple[str, Side], Answer]:
    """Return answers of the canary, None for a failure; the stable side says `some text`."""
    found: dict[tuple[str, Side], Answer] = {}
    for name, text in texts.items():
        found[name, "canary"] = Answer(text) if text is not None else Answer(failure="timeout")
        found[name, "stable"] = Answer("some text")
    return found


def test_equal_sides_do_not_differ() -> None:
    found = report([a_document("table__a")], answered(table__a="some text"))
    assert found.classes["table"].character_error_rate == SAME
    assert found.classes["table"].table_similarity is None
    assert found.failures == ()
    assert outcome_of(line_of(found)) == found


def test_a_failure_counts_as_the_worst_reading() -> None:
    table = "|a|\n|-|\n"
    documents = [a_document("table__a", table), a_document("table__b")]
    answers = answered(table__a=None, table__b="some text")
    answers["table__a", "stable"] = Answer(table)
    found = report(documents, answers)
    assert found.failures == (Failure(document="table__a", side="canary", code="timeout"),)
    scores = found.classes["table"]
    assert scores.documents == 2
    rate = scores.character_error_rate
    assert (rate.canary, rate.stable, rate.difference) == (0.5, 0, 0.5)
    assert (rate.lower, rate.upper) == (0, 1)
    assert (scores.reading_order.canary, scores.reading_order.stable) == (0.5, 1)
    assert scores.table_similarity is not None
    assert (scores.table_similarity.canary, scores.table_similarity.stable) == (0, 1)


def test_without_a_baseline_there_is_no_report() -> None:
    answers = answered(a="some text")
    answers["a", "stable"] = Answer(failure="unreachable")
    with pytest.raises(GoldenError, match="none of 1 documents; the first one ended with unreach"):
        report([a_document("a")], answers)


def test_bounds_hold_the_difference_and_do_not_change() -> None:
    canary, stable = [0.1, 0.2, 0.4, 0.1], [0.1, 0.1, 0.1, 0.2]
    found = comparison(canary, stable)
    assert found == comparison(canary, stable)
    assert found.difference == 0.075
    assert found.lower < found.difference < found.upper
    assert comparison([0.5], [0.25]) == Comparison(
        canary=0.5, stable=0.25, difference=0.25, lower=0.25, upper=0.25
    )


def test_more_documents_narrow_the_bounds() -> None:
    few = comparison([0.1, 0.3] * 5, [0.1] * 10)
    many = comparison([0.1, 0.3] * 50, [0.1] * 100)
    assert few.difference == many.difference == 0.1
    assert many.upper - many.lower < few.upper - few.lower


@pytest.mark.parametrize("count", [1, 12, 13, 40])
def test_small_classes_are_put_together(count: int) -> None:
    names = [f"{chr(97 + index % 26)}{'x' * (index // 26)}" for index in range(count)]
    scored = [Scored(name, name, GOOD, GOOD) for name in ["a", "b", *names]]
    found = fitted(scored, ())
    assert found.documents == sum(one.documents for one in found.classes.values()) == count + 2
    assert len(found.classes) == min(count if count > 1 else 2, 12)
    assert ("other" in found.classes) == (count > 12)
    assert {"a", "b"} <= set(found.classes)


@given(st.integers(1, 60), st.integers(0, 300), st.integers(1, 32), st.integers(1, 250))
def test_every_line_fits(classes: int, failures: int, long_class: int, long_name: int) -> None:
    worst = Scores(0.12345, 0.98765, 0.54321)
    scored = [
        Scored(f"d{index}", f"{index:02}".rjust(long_class, "c")[-32:], worst, GOOD_TABLE)
        for index in range(classes)
    ]
    failed = [
        Failure(document=f"{index}".rjust(long_name, "ß"), side="canary", code="engine_failed")
        for index in range(failures)
    ]
    found = fitted(scored, failed)
    line = line_of(found)
    assert len(line.encode()) <= MOST_BYTES
    assert "\n" not in line
    assert len(found.failures) + found.failures_left_out == failures
    assert isinstance(outcome_of(line), GoldenReport)


GOOD_TABLE = Scores(0.0, 1.0, 1.0)

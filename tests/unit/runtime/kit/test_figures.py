"""What measurements say."""

import pytest
from docparser_runtime.kit.figures import (
    Latency,
    Level,
    Recommendation,
    Request,
    grows,
    latency,
    level,
    pages_per_second,
    percentile,
    recommendation,
)


def one(clients: int, pages: float, slowdown: float, *, refused: int = 0) -> Level:
    return Level(clients, pages, Latency(10, 1.0, slowdown), slowdown, refused)


@pytest.mark.parametrize(
    ("values", "percent", "expected"),
    [([3.0], 99, 3.0), ([4, 1, 3, 2], 50, 2), (range(1, 101), 99, 99), (range(1, 102), 99, 100)],
)
def test_percentiles(values: list[float], percent: float, expected: float) -> None:
    assert percentile([*values], percent) == expected


def test_nothing_has_no_percentile() -> None:
    with pytest.raises(ValueError, match="no values"):
        percentile([], 50)
    assert latency([]) is None


def test_requests_count_for_the_part_that_lies_in_the_window() -> None:
    requests = [Request("a", 4, 0.0, 2.0), Request("a", 4, 1.0, 3.0), Request("a", 4, 2.5, 9.0)]
    assert pages_per_second(requests, 0.0, 2.0) == pytest.approx((4 + 2) / 2)


def test_the_slowdown_does_not_depend_on_what_is_read() -> None:
    alone = {"short": 0.5, "long": 5.0}
    found = level(
        2, [Request("short", 1, 0, 1), Request("long", 9, 0, 10)], (0, 10), alone, refused=1
    )
    assert found.p99_slowdown == 2.0
    assert found.latency == Latency(2, 1, 10)
    assert not found.is_clean


def test_nothing_that_was_answered_is_no_clean_level() -> None:
    found = level(1, [], (0, 1), {})
    assert (found.pages_per_second, found.p99_slowdown, found.is_clean) == (0, 0, False)


@pytest.mark.parametrize(
    ("pages", "expected"), [([10], True), ([10, 20], True), ([10, 10.4], False), ([20, 10], False)]
)
def test_growth(pages: list[float], *, expected: bool) -> None:
    levels = [one(2**number, value, 1.0) for number, value in enumerate(pages)]
    assert grows(levels) is expected


def test_nothing_grows_beyond_a_refusal() -> None:
    assert not grows([one(1, 10, 1), one(2, 20, 1, refused=1)])


def test_the_least_number_of_clients_that_is_nearly_the_best_is_recommended() -> None:
    levels = [one(1, 10, 1.0), one(2, 19.5, 1.1), one(4, 20, 1.9), one(8, 20, 4)]
    assert recommendation(levels) == Recommendation(2, reaches_best=True)


def test_long_waits_are_not_recommended() -> None:
    levels = [one(1, 10, 1.0), one(2, 15, 1.9), one(4, 30, 2.0)]
    assert recommendation(levels) == Recommendation(2, reaches_best=False)


def test_refusals_are_not_recommended() -> None:
    levels = [one(1, 10, 1.0), one(2, 20, 1.0, refused=1)]
    assert recommendation(levels) == Recommendation(1, reaches_best=False)
    assert recommendation([one(1, 10, 1.0, refused=1)]) is None
    assert recommendation([]) is None

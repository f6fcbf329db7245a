"""How fast pages arrive."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from docparser_operator.autoscaling.arrivals import WINDOW, Arrivals

BEGUN = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)


def counted(total: Callable[[float], float], seconds: int = 400) -> Arrivals:
    found = Arrivals()
    for second in range(0, seconds + 1, 5):
        found = found.plus(BEGUN + timedelta(seconds=second), total(second))
    return found


def test_a_steady_stream_has_its_rate_and_does_not_grow() -> None:
    found = counted(lambda second: 3 * second)
    assert found.pages_per_second == pytest.approx(3)
    assert found.growth == pytest.approx(0)


def test_a_stream_that_swells_grows() -> None:
    found = counted(lambda second: second**2 / 100)
    assert found.growth == pytest.approx(0.02, rel=0.05)


def test_a_stream_that_ends_does_not_count_any_more_and_tells_when() -> None:
    found = counted(lambda second: min(second, 200.0))
    assert found.pages_per_second == 0
    assert found.active_at == BEGUN + timedelta(seconds=200)


def test_what_lies_before_the_window_is_forgotten() -> None:
    found = counted(lambda second: second, seconds=3000)
    assert found.counts[-1].at - found.counts[0].at == WINDOW


def test_a_total_that_falls_begins_anew() -> None:
    found = counted(lambda second: second).plus(BEGUN + timedelta(seconds=500), 1)
    assert len(found.counts) == 1
    assert found.pages_per_second == 0


def test_nothing_is_known_of_nothing() -> None:
    assert (Arrivals().pages_per_second, Arrivals().growth, Arrivals().active_at) == (0, 0, None)

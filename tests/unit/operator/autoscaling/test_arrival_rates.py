"""Which rate of arrival is certain."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from docparser_operator.autoscaling.arrivals import Arrivals

BEGUN = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)


def rate(total: Callable[[float], float], seconds: int) -> float:
    """The rate after so many seconds of looks."""
    found = Arrivals()
    for second in range(0, seconds + 1, 5):
        found = found.plus(BEGUN + timedelta(seconds=second), total(second))
    return found.pages_per_second


def risen(second: float) -> float:
    """One page a second for five minutes, then three."""
    return second + 2 * max(0.0, second - 300)


def fallen(second: float) -> float:
    """Three pages a second for five minutes, then one."""
    return 3 * second - 2 * max(0.0, second - 300)


def test_what_rises_for_a_moment_is_no_rate() -> None:
    assert rate(risen, 420) == pytest.approx(1)


def test_what_lasts_is() -> None:
    assert rate(risen, 480) == pytest.approx(3)


def test_what_has_fallen_is_known_sooner() -> None:
    assert rate(fallen, 360) == pytest.approx(1)


def test_a_rate_is_known_before_the_window_has_been_seen() -> None:
    assert rate(lambda second: 2 * second, 100) == pytest.approx(2)

import math

import pytest
from docparser_operator.analysis.bounds import CERTAIN, LIKELY, Seen
from hypothesis import given
from hypothesis import strategies as st


@pytest.mark.parametrize("samples", [1, 10, 500])
def test_without_an_event_the_bound_is_the_chance_of_none(samples: int) -> None:
    # (1 - p)^n = chance
    expected = 1 - CERTAIN ** (1 / samples)
    assert Seen(0.0, samples).most(CERTAIN) == pytest.approx(expected, abs=1e-9)
    assert Seen(0.0, samples).least(CERTAIN) == 0.0
    assert Seen(1.0, samples).least(CERTAIN) == pytest.approx(1 - expected, abs=1e-9)
    assert Seen(1.0, samples).most(CERTAIN) == 1.0


def tail(events: int, samples: int, share: float) -> float:
    """Return how probable so many events or more are."""
    return sum(
        math.comb(samples, k) * share**k * (1 - share) ** (samples - k)
        for k in range(events, samples + 1)
    )


@pytest.mark.parametrize("samples", [10, 30, 100])
@pytest.mark.parametrize("events", [1, 2, 3, 5, 9])
def test_the_bounds_hold_where_events_are_few(events: int, samples: int) -> None:
    seen = Seen(events / samples, samples)
    assert tail(events, samples, seen.least(CERTAIN)) <= CERTAIN
    assert 1 - tail(events + 1, samples, seen.most(CERTAIN)) <= CERTAIN


shares = st.floats(0, 1)
sizes = st.integers(1, 10_000)


@given(shares, sizes)
def test_bounds_lie_around_what_was_seen_and_narrow_with_the_chance(
    share: float, samples: int
) -> None:
    seen = Seen(share, samples)
    assert seen.least(CERTAIN) <= seen.least(LIKELY) <= share
    assert share <= seen.most(LIKELY) <= seen.most(CERTAIN)


@given(shares, shares, sizes, shares, sizes, st.floats(0, 0.5))
def test_a_higher_share_never_exceeds_less(
    one: float, other: float, samples: int, old: float, old_samples: int, increase: float
) -> None:
    lower, higher = sorted((one, other))
    usual = Seen(old, old_samples)
    if Seen(lower, samples).exceeds(usual, increase + 1e-9, CERTAIN):
        assert Seen(higher, samples).exceeds(usual, increase, CERTAIN)


def test_no_share_exceeds_itself() -> None:
    assert not Seen(0.5, 10**6).exceeds(Seen(0.5, 10**6), 0.0, LIKELY)

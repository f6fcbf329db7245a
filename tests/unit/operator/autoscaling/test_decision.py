"""How many pods should run."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from docparser_api.autoscaling import ScalingReason as Why
from docparser_api.autoscaling import Schedule
from docparser_operator.autoscaling.decision import DEMAND_AGE_SECONDS, decide
from docparser_operator.autoscaling.schedules import calendar
from docparser_operator.autoscaling.values import (
    Decision,
    Demand,
    Freeze,
    Rules,
    State,
    Supply,
    Wish,
)

NOW = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
RULES = Rules(min_replicas=1, max_replicas=20, scale_down_stabilization_seconds=120)
PAGE_A_SECOND = 1.0


def demand(**given: Any) -> Demand:
    """Return a demand of nothing, unless said otherwise."""
    nothing = Demand(0, 0, 0, 0, NOW)
    return replace(nothing, **given)


def supply(ready: int, **given: Any) -> Supply:
    """Return pods that read a page a second and take 20 s to come."""
    return replace(Supply(ready, (), PAGE_A_SECOND, lead_time_seconds=20), **given)


def decided(
    demand: Demand | None, supply: Supply, rules: Rules = RULES, state: State | None = None
) -> Decision:
    """Return the decision where as many pods are asked for as there are."""
    return decide(rules, state or State(supply.pods), demand, supply, NOW)


@pytest.mark.parametrize(
    ("demand", "supply", "replicas", "reason"),
    [
        (demand(), supply(1), 1, Why.AT_MINIMUM),
        (demand(running_pages=1), supply(1), 1, Why.STEADY),
        # 40 s are left when new pods serve; the one has read 20 of 500 pages by then.
        (demand(queued_pages=500), supply(1), 12, Why.WORK_WAITS),
        (demand(queued_pages=5000), supply(1), 20, Why.AT_MAXIMUM),
        # 95 % busy after the change; nothing before 105 % or above 85 %.
        (demand(arrival_pages_per_second=4.3), supply(4), 5, Why.ARRIVALS_RISE),
        (demand(arrival_pages_per_second=4.1), supply(4), 4, Why.STEADY),
        (demand(arrival_pages_per_second=3.5), supply(4), 4, Why.STEADY),
        (demand(arrival_pages_per_second=1.5), supply(4), 2, Why.DEMAND_FELL),
        # What waits needs pods although nothing arrives any more.
        (demand(queued_pages=100), supply(4), 2, Why.DEMAND_FELL),
        (demand(queued_pages=100, oldest_wait_seconds=35), supply(4), 4, Why.STEADY),
        # It will be too much by the time that a new pod serves.
        (demand(arrival_pages_per_second=3.5, arrival_growth=0.1), supply(4), 6, Why.ARRIVALS_RISE),
    ],
)
def test_demand_decides(demand: Demand, supply: Supply, replicas: int, reason: Why) -> None:
    found = decided(demand, supply)
    assert (found.replicas, found.reason) == (replicas, reason)
    assert found.message


def test_pods_on_their_way_are_not_asked_for_again() -> None:
    burst = demand(queued_pages=500)
    first = decided(burst, supply(1))
    for age in (0.0, 5.0, 10.0, 19.0):
        waited = demand(queued_pages=500 - age, oldest_wait_seconds=age)
        coming = supply(1, starting=(age,) * (first.replicas - 1))
        again = decided(waited, coming, state=State(first.replicas))
        assert again.replicas == first.replicas


def test_pods_that_are_asked_for_and_do_not_exist_yet_count() -> None:
    found = decided(demand(queued_pages=500), supply(1), state=State(12))
    assert found.replicas == 12


def test_zero_needs_time_without_work_from_when_pods_serve() -> None:
    rules = replace(RULES, min_replicas=0, idle_seconds=300, scale_down_stabilization_seconds=60)
    state, now, starting = State(1), NOW, supply(0, starting=(100.0,))
    for _ in range(100):  # a slow start is no idle time
        now += timedelta(seconds=10)
        found = decide(rules, state, demand(measured_at=now), starting, now)
        assert found.replicas == 1
        state = found.state
    begun = now
    while found.replicas:
        now += timedelta(seconds=10)
        found = decide(rules, state, demand(measured_at=now), supply(1), now)
        state = found.state
    assert found.reason == Why.IDLE
    assert now - begun == timedelta(seconds=310)


def test_work_between_two_looks_begins_the_idle_time_again() -> None:
    rules = replace(RULES, min_replicas=0, idle_seconds=300)
    state = State(1, idle_since=NOW - timedelta(seconds=1000))
    active = demand(active_at=NOW - timedelta(seconds=10))
    assert decided(active, supply(1), rules, state).replicas == 1
    assert decided(demand(), supply(1), rules, state).replicas == 0


@pytest.mark.parametrize("rate", [PAGE_A_SECOND, None])
def test_work_wakes_pods_from_zero(rate: float | None) -> None:
    rules = replace(RULES, min_replicas=0)
    found = decided(demand(queued_pages=1), supply(0, pages_per_second=rate), rules)
    assert (found.replicas, found.reason) == (1, Why.WAKING)


def test_unknown_throughput_adds_one_pod_at_a_time() -> None:
    late = demand(queued_pages=500, oldest_wait_seconds=40)
    unknown = supply(2, pages_per_second=None)
    assert decided(late, unknown).replicas == 3
    coming = replace(unknown, starting=(3.0,))
    found = decided(late, coming)
    assert (found.replicas, found.reason) == (3, Why.THROUGHPUT_UNKNOWN)
    told = replace(RULES, pages_per_second=PAGE_A_SECOND)
    assert decided(late, unknown, told).replicas > 3


def test_what_is_not_known_changes_nothing_but_bounds_hold() -> None:
    old = demand(queued_pages=500, measured_at=NOW - timedelta(seconds=DEMAND_AGE_SECONDS + 1))
    for unknown, reason in ((None, Why.METRICS_MISSING), (old, Why.METRICS_OLD)):
        found = decided(unknown, supply(7))
        assert (found.replicas, found.reason) == (7, reason)
        assert decided(unknown, supply(30)).replicas == 20
        assert decided(unknown, supply(0)).replicas == 1


def test_shrinking_waits_for_its_window_and_growing_for_its_own() -> None:
    rules = replace(RULES, scale_up_stabilization_seconds=30)
    was = State(8, Wish(8, NOW - timedelta(seconds=10)))
    found = decided(demand(), supply(8), rules, was)
    assert (found.replicas, found.reason) == (8, Why.STABILISING)
    was = State(8, Wish(2, NOW - timedelta(seconds=10)), (Wish(6, NOW - timedelta(seconds=90)),))
    assert decided(demand(), supply(8), rules, was).replicas == 6
    was = State(1, Wish(1, NOW - timedelta(seconds=10)))
    assert decided(demand(queued_pages=500), supply(1), rules, was).replicas == 1
    was = State(1, Wish(5, NOW - timedelta(seconds=10)))
    assert decided(demand(queued_pages=500), supply(1), rules, was).replicas == 5


def test_a_rollout_keeps_what_there_is_and_a_pause_everything() -> None:
    rolling = supply(8, frozen=Freeze.SHRINKING)
    found = decided(demand(), rolling)
    assert (found.replicas, found.reason) == (8, Why.ROLLING_OUT)
    assert decided(demand(queued_pages=2000), rolling).replicas == 20
    paused = supply(8, frozen=Freeze.ALL)
    for given in (demand(), demand(queued_pages=2000), None):
        found = decided(given, paused)
        assert (found.replicas, found.reason) == (8, Why.PAUSED)


def test_no_more_is_asked_for_than_finds_room() -> None:
    found = decided(demand(queued_pages=500), supply(1, starting=(1.0,), schedulable=3))
    assert (found.replicas, found.reason) == (5, Why.CLUSTER_FULL)
    assert "room for 5" in found.message
    none = decided(demand(queued_pages=500), supply(4, schedulable=0))
    assert none.replicas == 4


def test_full_memory_keeps_pods_and_adds_one_while_work_waits_too_long() -> None:
    full, late = supply(4, vram_used_fraction=0.95), demand(queued_pages=1, oldest_wait_seconds=31)
    found = decided(late, full)
    assert (found.replicas, found.reason) == (5, Why.VRAM_HIGH)
    coming = replace(full, starting=(1.0,))
    assert decided(late, coming).replicas == 5
    for other in (demand(), demand(queued_pages=1, oldest_wait_seconds=30)):
        assert decided(other, full).replicas == 1
    assert decided(late, replace(full, vram_used_fraction=0.9)).replicas == 1


def test_a_schedule_has_its_pods_ready_when_it_begins() -> None:
    morning = Schedule(name="noon", start="0 12 * * *", duration_seconds=3600, min_replicas=6)
    rules = replace(RULES, calendar=calendar([morning]))
    for seconds, replicas in ((-30, 1), (-20, 6), (0, 6), (3579, 6), (3600, 1)):
        now = NOW + timedelta(seconds=seconds)
        found = decide(rules, State(1), demand(measured_at=now), supply(1), now)
        assert found.replicas == replicas, seconds

"""What holds for every demand and supply."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise

from docparser_operator.autoscaling.decision import DEMAND_AGE_SECONDS, decide
from docparser_operator.autoscaling.values import Decision, Demand, Freeze, Rules, State, Supply
from hypothesis import assume, given, settings
from hypothesis import strategies as st

NOW = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)

pods = st.integers(0, 40)
demands = st.builds(
    Demand,
    queued_pages=st.floats(0, 1e5),
    running_pages=st.floats(0, 1e3),
    oldest_wait_seconds=st.floats(0, 1e5),
    arrival_pages_per_second=st.floats(0, 1e3),
    measured_at=st.just(NOW),
    arrival_growth=st.floats(-10, 10),
)
supplies = st.builds(
    Supply,
    ready=pods,
    starting=st.lists(st.floats(0, 1e4), max_size=10).map(tuple),
    pages_per_second=st.none() | st.floats(0.01, 100),
    lead_time_seconds=st.none() | st.floats(0, 3600),
    vram_used_fraction=st.none() | st.floats(0, 1.2),
    schedulable=st.none() | st.integers(0, 40),
    frozen=st.sampled_from(Freeze),
)
all_rules = st.builds(
    lambda least, more, **rest: Rules(least, max(1, least + more), **rest),
    least=st.integers(0, 20),
    more=st.integers(0, 20),
    target_wait_seconds=st.floats(1, 3600),
    pages_per_second=st.none() | st.floats(0.01, 100),
    idle_seconds=st.floats(0, 3600),
    scale_up_stabilization_seconds=st.floats(0, 600),
    scale_down_stabilization_seconds=st.floats(0, 600),
)
states = st.builds(State, replicas=pods)


@given(all_rules, states, st.none() | demands, supplies)
def test_bounds_hold_unless_something_forbids_the_change(
    rules: Rules, state: State, demand: Demand | None, supply: Supply
) -> None:
    found = decide(rules, state, demand, supply, NOW)
    free = replace(supply, frozen=Freeze.NOTHING, schedulable=None)
    if supply == free:
        assert rules.min_replicas <= found.replicas <= rules.max_replicas
    assert found.replicas <= max(rules.max_replicas, state.replicas)
    assert found.replicas >= min(rules.min_replicas, state.replicas)
    assert found.state.replicas == found.replicas
    if supply.frozen is not Freeze.NOTHING:
        assert found.replicas >= state.replicas
    if supply.schedulable is not None and found.replicas > state.replicas:
        assert found.replicas <= supply.pods + supply.schedulable


@given(
    all_rules,
    states,
    demands,
    supplies,
    st.tuples(st.floats(0, 1e4), st.floats(0, 100), st.floats(0, 1e4)),
)
def test_more_demand_never_asks_for_fewer_pods(
    rules: Rules, state: State, demand: Demand, supply: Supply, added: tuple[float, float, float]
) -> None:
    pages, rate, wait = added
    more = replace(
        demand,
        queued_pages=demand.queued_pages + pages,
        arrival_pages_per_second=demand.arrival_pages_per_second + rate,
        oldest_wait_seconds=demand.oldest_wait_seconds + wait,
    )
    less_pods = decide(rules, state, demand, supply, NOW).replicas
    assert decide(rules, state, more, supply, NOW).replicas >= less_pods


@given(all_rules, states, demands, supplies, st.floats(1, 1e6))
def test_what_is_old_changes_nothing_within_the_bounds(
    rules: Rules, state: State, demand: Demand, supply: Supply, age: float
) -> None:
    assume(rules.min_replicas <= state.replicas <= rules.max_replicas)
    old = replace(demand, measured_at=NOW - timedelta(seconds=DEMAND_AGE_SECONDS + age))
    for unknown in (old, None):
        assert decide(rules, state, unknown, supply, NOW).replicas == state.replicas


@settings(max_examples=50)
@given(
    st.floats(0, 30),
    st.floats(0.1, 5),
    st.lists(st.floats(-0.05, 0.05), min_size=40, max_size=40),
    st.sampled_from([0, 60, 120]),
)
def test_a_constant_load_with_noise_settles(
    rate: float, pod: float, noise: list[float], window: int
) -> None:
    rules = Rules(1, 500, scale_down_stabilization_seconds=window)
    state, now, found = State(1), NOW, list[Decision]()
    for share in noise:
        now += timedelta(seconds=20)
        demand = Demand(0, 1, 0, rate * (1 + share), now)
        supply = Supply(state.replicas, (), pod, lead_time_seconds=20)
        found.append(decide(rules, state, demand, supply, now))
        state = found[-1].state
    sizes = [decision.replicas for decision in found]
    changes = sum(old != new for old, new in pairwise(sizes))
    # Steps of few pods are larger than the noise: up once, and down again at most once.
    assert changes <= 3, sizes
    assert len(set(sizes[-10:])) <= 2, sizes

from dataclasses import replace

import pytest
from docparser_kubectl.replay.comparison import STEP, Comparison, compare, pods_at_first, targets
from docparser_kubectl.replay.patterns import Pattern, generated
from docparser_kubectl.replay.report import summary
from docparser_kubectl.replay.traces import Arrival, Trace
from docparser_kubectl.replay.values import Setup
from docparser_operator.autoscaling.values import Rules

from .doubles import a_trace, text

SETUP = Setup(page_seconds=4, places=1, lead_seconds=60, least=1, most=4)
RULES = Rules(min_replicas=1, max_replicas=4)


def short(pattern: Pattern, seconds: float) -> Trace:
    """The beginning of a pattern."""
    trace = generated(pattern, SETUP.capacity, 1)
    arrivals = tuple(arrival for arrival in trace.arrivals if arrival.at < seconds)
    return Trace(trace.name, arrivals, seconds)


@pytest.fixture(scope="module")
def burst() -> Comparison:
    return compare(short(Pattern.BURST, 3600), SETUP, RULES)


def test_the_first_target_is_what_a_pod_reads_in_the_target_wait() -> None:
    found = targets(SETUP)
    assert found[0] == 60 / 4
    assert found[1] == pytest.approx(15 / STEP)
    assert 0.5 <= found[-1] < 0.5 * STEP


def test_a_target_below_the_least_is_the_only_one() -> None:
    assert targets(replace(SETUP, target_wait=1)) == [0.25]


FIRST: dict[str, tuple[Trace, int]] = {
    "nothing arrives at first": (a_trace((900, 50)), 1),
    "two pods are busy for four fifths": (a_trace((0, 120), (300, 120), seconds=3600), 2),
    "a little more": (a_trace((0, 120), (300, 121), seconds=3600), 3),
    "more than the most": (a_trace((0, 9000), seconds=3600), 4),
    "a short trace": (a_trace((0, 2)), 1),
}


@pytest.mark.parametrize("what", FIRST)
def test_all_begin_with_what_the_first_minutes_need(what: str) -> None:
    trace, pods = FIRST[what]
    assert pods_at_first(trace, SETUP) == pods


def test_all_read_the_same_pages(burst: Comparison) -> None:
    outcomes = [burst.ours, *(rival.usual for rival in burst.rivals)]
    assert [found.name for found in outcomes] == ["Builtin", "HPA", "KEDA"]
    assert {found.read_pages for found in outcomes} == {burst.trace.pages}
    assert {found.target_pages for found in outcomes} == {None, 15}


def test_what_matches_waits_no_longer(burst: Comparison) -> None:
    matching = [rival.matching for rival in burst.rivals if rival.matching is not None]
    assert matching
    assert all(found.p99_or_never <= burst.ours.p99_or_never for found in matching)
    hpa = matching[0]
    assert burst.shares["HPA"] == burst.ours.gpu_hours / hpa.gpu_hours


def test_where_nobody_waits_the_usual_target_is_the_cheapest_that_matches() -> None:
    trace = Trace("few", tuple(Arrival(at, 1) for at in range(0, 900, 60)), 900)
    found = compare(trace, SETUP, RULES)
    assert found.ours.wait_p99 == 0
    assert {rival.matching == rival.usual for rival in found.rivals} == {True}
    assert found.shares == {"HPA": 1, "KEDA": 1}


def test_the_same_documents_make_the_same_figures(burst: Comparison) -> None:
    assert compare(burst.trace, SETUP, RULES) == burst


def test_shares_of_several_traces_are_one_table(burst: Comparison) -> None:
    rivals = tuple(replace(rival, matching=None) for rival in burst.rivals)
    shown = text(summary([burst, replace(burst, rivals=rivals)])).splitlines()
    assert shown[0].split() == ["Builtin's", "GPU-hours", "as", "share", "of", "HPA", "KEDA"]
    assert shown[1].split()[1] == f"{burst.shares['HPA']:.2f}"
    assert shown[2].split() == ["burst", "never", "never"]


def test_a_share_needs_an_outcome_that_matches(burst: Comparison) -> None:
    rivals = tuple(replace(rival, matching=None) for rival in burst.rivals)
    assert replace(burst, rivals=rivals).shares == {"HPA": None, "KEDA": None}

"""Revisions that are drawn by chance: how often a good one fails, how soon a bad one does."""

import random
from collections.abc import Callable, Iterator

import pytest
from docparser_api.analysis import AnalysisSpec
from docparser_operator.analysis.evidence import Evidence
from docparser_operator.analysis.judge import metric_measurements
from unit.operator.analysis.totals import Revision, lognormal

RULES = AnalysisSpec()
LOOKS = 100
REQUESTS_BETWEEN_LOOKS = 10
RUNS = 10

Make = Callable[[], Revision]


def looks(
    seed: int, canary: Revision, stable: Revision, weight: float
) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the requests of the canary and the verdicts, look by look."""
    rng = random.Random(seed)  # noqa: S311 (no secret)
    for _ in range(LOOKS):
        for _ in range(REQUESTS_BETWEEN_LOOKS):
            (canary if rng.random() < weight else stable).answer(rng)
        found = metric_measurements(Evidence(canary.seen(), stable.seen()), RULES)
        yield canary.totals.requests, {m.name: m.verdict for m in found}


@pytest.mark.parametrize("weight", [0.1, 0.5, 0.9])
@pytest.mark.parametrize(
    "make",
    [
        pytest.param(lambda: Revision(0.0, lognormal(1, 0.1)), id="without faults"),
        pytest.param(lambda: Revision(0.01, lognormal(1, 0.5), 3, 0.01), id="with few"),
        pytest.param(lambda: Revision(0.05, lognormal(1, 1.0), 1, 0.05), id="with some"),
        pytest.param(lambda: Revision(0.2, lognormal(1, 1.5), 5, 0.2), id="with many"),
    ],
)
def test_chance_does_not_fail_a_revision_that_is_like_the_other(make: Make, weight: float) -> None:
    failed = [
        requests
        for seed in range(RUNS)
        for requests, found in looks(seed, make(), make(), weight)
        if "Fail" in found.values()
    ]
    # At most one look in a thousand.
    assert len(failed) <= LOOKS * RUNS / 1000, failed


def requests_until_fail(name: str, canary: Make, stable: Make, weight: float) -> list[int]:
    """Return the requests that the canary had answered when it failed, in order, run by run."""
    return sorted(
        next(
            (n for n, found in looks(seed, canary(), stable(), weight) if found[name] == "Fail"),
            10**9,
        )
        for seed in range(RUNS)
    )


@pytest.mark.parametrize(("weight", "most"), [(0.1, 100), (0.25, 100), (0.5, 130)])
def test_one_error_in_five_fails_soon(weight: float, most: int) -> None:
    seen = requests_until_fail("errorRate", lambda: Revision(0.2), Revision, weight)
    assert seen[-1] <= most, seen


@pytest.mark.parametrize("sigma", [0.2, 0.5])
@pytest.mark.parametrize("weight", [0.1, 0.25])
def test_three_times_the_latency_fails_soon(weight: float, sigma: float) -> None:
    seen = requests_until_fail(
        "latencyP99Seconds",
        lambda: Revision(seconds=lognormal(3, sigma)),
        lambda: Revision(seconds=lognormal(1, sigma)),
        weight,
    )
    # Nine runs of ten; chance may favour one.
    assert seen[-2] <= 200, seen


def test_one_looping_document_in_five_fails_soon() -> None:
    seen = requests_until_fail(
        "loopRate", lambda: Revision(pages=4, loops=0.2), lambda: Revision(pages=4), 0.25
    )
    assert seen[-1] <= 100, seen

from dataclasses import replace

import pytest
from docparser_api.analysis import AnalysisSpec
from docparser_api.status import Measurement, Verdict
from docparser_operator.analysis.evidence import Evidence, Totals
from docparser_operator.analysis.judge import metric_measurements
from hypothesis import given
from hypothesis import strategies as st
from unit.operator.analysis.totals import timed

RULES = AnalysisSpec()


def measured(name: str, canary: Totals, stable: Totals, seconds: float = 0.0) -> Measurement:
    found = metric_measurements(Evidence(canary, stable, seconds=seconds), RULES)
    assert [m.name for m in found] == [
        "errorRate",
        "latencyP99Seconds",
        "loopRate",
        "truncationRate",
    ]
    return next(m for m in found if m.name == name)


def errors(bad: int, total: int) -> Totals:
    return Totals(requests=total, server_errors=bad)


@pytest.mark.parametrize(
    ("canary", "stable", "expected"),
    [
        pytest.param((0, 0), (0, 1000), "Inconclusive", id="nothing yet"),
        pytest.param((0, 49), (0, 1000), "Inconclusive", id="one too few"),
        pytest.param((0, 50), (0, 1000), "Pass", id="just enough"),
        pytest.param((9, 9), (0, 1000), "Inconclusive", id="too few to fail"),
        pytest.param((10, 10), (0, 1000), "Fail", id="all of the first ten"),
        pytest.param((2, 10), (0, 1000), "Inconclusive", id="bad luck is possible"),
        pytest.param((20, 100), (0, 100), "Fail", id="one in five"),
        pytest.param((2, 100), (0, 1000), "Pass", id="at the limit"),
        pytest.param((3, 100), (0, 1000), "Inconclusive", id="above it by chance"),
        pytest.param((300, 10_000), (0, 10_000), "Fail", id="above it for sure"),
        pytest.param((120, 1000), (100, 1000), "Pass", id="the limit moves with the stable one"),
        pytest.param((0, 100), (1000, 1000), "Pass", id="a broken stable one blocks nothing"),
        pytest.param((0, 50), (0, 0), "Pass", id="alone and good"),
        pytest.param((10, 50), (0, 0), "Fail", id="alone and bad"),
        pytest.param((9, 49), (0, 0), "Inconclusive", id="alone at the beginning"),
        pytest.param((0, 50), (5, 5), "Pass", id="few of the stable one, and good"),
        pytest.param((3, 50), (5, 5), "Inconclusive", id="few give the stable one no credit"),
    ],
)
def test_errors(canary: tuple[int, int], stable: tuple[int, int], expected: Verdict) -> None:
    assert measured("errorRate", errors(*canary), errors(*stable)).verdict == expected


def test_the_numbers_of_a_share() -> None:
    found = measured("errorRate", errors(4, 100), errors(10, 1000))
    assert (found.canary, found.stable, found.samples) == (0.04, 0.01, 100)
    assert found.limit == pytest.approx(0.03)
    assert found.message == (
        "server errors: 4 of 100 (4.00%); serving revision 10 of 1000 (1.00%); at most 3.00% pass"
    )


def test_what_was_not_measured_is_absent() -> None:
    found = measured("errorRate", Totals(), Totals())
    assert (found.canary, found.stable, found.samples) == (None, None, 0)
    assert found.message == (
        "server errors: 0 of 0 (0.00%); nothing to compare with; at most 2.00% pass; 50 are needed"
    )


@pytest.mark.parametrize(
    ("name", "bad"),
    [
        ("loopRate", Totals(repetition=25)),
        ("truncationRate", Totals(truncated=25)),
    ],
)
def test_pages(name: str, bad: Totals) -> None:
    stable = Totals(requests=500, pages=500)
    good = Totals(requests=100, pages=100)
    assert measured(name, good, stable).verdict == "Pass"
    assert measured(name, good + bad, stable).verdict == "Fail"
    assert measured(name, replace(good, pages=40), stable).verdict == "Inconclusive"


def test_pages_of_few_documents_prove_nothing() -> None:
    stable = Totals(requests=500, pages=500)
    many = Totals(requests=5, pages=100, repetition=90)
    assert measured("loopRate", many, stable).verdict == "Inconclusive"
    assert measured("loopRate", replace(many, requests=50), stable).verdict == "Fail"


SECONDS = (0.3,) * 100


@pytest.mark.parametrize(
    ("canary", "stable", "expected"),
    [
        pytest.param((), SECONDS, "Inconclusive", id="nothing yet"),
        pytest.param((0.3,) * 49, SECONDS, "Inconclusive", id="one too few"),
        pytest.param((0.3,) * 50, SECONDS, "Pass", id="as fast"),
        pytest.param((0.3,) * 50, (9.0,) * 100, "Pass", id="faster"),
        pytest.param((20.0,) * 9, SECONDS * 9, "Inconclusive", id="too few to fail"),
        pytest.param((20.0,) * 49, SECONDS * 9, "Inconclusive", id="perhaps a bad moment"),
        pytest.param((20.0,) * 50, (0.3,) * 49, "Inconclusive", id="not seen beside it"),
        pytest.param((20.0,) * 50, (0.3,) * 50, "Fail", id="slow, and not for a moment"),
        pytest.param((4.9,) * 50, (5.1,) * 50, "Pass", id="below a bound"),
        pytest.param((0.3,) * 50, (), "Pass", id="nothing to compare with"),
        pytest.param((0.3,) * 49, (), "Inconclusive", id="alone at the beginning"),
        pytest.param((0.3,) * 50, (0.3,) * 49, "Inconclusive", id="too few of the stable one"),
        pytest.param((0.01,) * 400, (0.001,) * 400, "Pass", id="a negligible difference"),
        pytest.param((700.0,) * 50, SECONDS, "Fail", id="beyond the last bound"),
        pytest.param((700.0,) * 50, (700.0,) * 50, "Pass", id="both beyond the last bound"),
    ],
)
def test_latency(canary: tuple[float, ...], stable: tuple[float, ...], expected: Verdict) -> None:
    assert measured("latencyP99Seconds", timed(*canary), timed(*stable)).verdict == expected


@pytest.mark.parametrize(
    ("canary", "stable", "seconds", "expected"),
    [
        pytest.param(10, 10, 60.0, "Fail", id="few in a long time"),
        pytest.param(10, 10, 59.9, "Inconclusive", id="too short a time"),
        pytest.param(9, 10, 600.0, "Inconclusive", id="too few of the new one"),
        pytest.param(10, 9, 600.0, "Inconclusive", id="too few of the serving one"),
    ],
)
def test_few_slow_requests(canary: int, stable: int, seconds: float, expected: Verdict) -> None:
    slow, quick = timed(*(20.0,) * canary), timed(*(0.3,) * stable)
    assert measured("latencyP99Seconds", slow, quick, seconds).verdict == expected


def test_one_slow_request_of_the_serving_revision_hides_no_slow_canary() -> None:
    canary, stable = timed(*(1.5,) * 60), timed(*(0.5,) * 98, 2.9, 2.9)
    assert measured("latencyP99Seconds", canary, stable).verdict == "Inconclusive"


def test_nearly_alike_on_both_sides_of_a_bound_is_no_failure() -> None:
    canary, stable = timed(*(2.51,) * 500), timed(*(2.49,) * 500)
    assert measured("latencyP99Seconds", canary, stable).verdict == "Inconclusive"


def test_the_numbers_of_a_latency() -> None:
    found = measured("latencyP99Seconds", timed(*(0.3,) * 100), timed(*(0.2,) * 200))
    assert found.canary == pytest.approx(0.4975)
    assert found.stable == pytest.approx(0.2485)
    assert found.limit == pytest.approx(1.5 * 0.2485)
    assert found.samples == 100
    assert found.message == (
        "0.497 s in 100 requests; serving revision 0.248 s in 200 requests; at most 0.373 s pass"
    )
    alone = measured("latencyP99Seconds", timed(*(0.3,) * 100), Totals())
    assert (alone.stable, alone.limit) == (None, None)
    assert alone.message == "0.497 s in 100 requests; nothing to compare with"
    assert measured("latencyP99Seconds", Totals(), timed(0.1)).message.startswith("no requests; ")


@st.composite
def shares(draw: st.DrawFn) -> tuple[int, int]:
    total = draw(st.integers(0, 400))
    return draw(st.integers(0, total)), total


@given(shares(), shares(), st.integers(1, 400))
def test_more_errors_never_turn_fail_into_anything_better(
    canary: tuple[int, int], stable: tuple[int, int], more: int
) -> None:
    bad, total = canary
    order = {"Pass": 0, "Inconclusive": 1, "Fail": 2}
    before = measured("errorRate", errors(bad, total), errors(*stable)).verdict
    worse = errors(min(total, bad + more), total)
    assert order[before] <= order[measured("errorRate", worse, errors(*stable)).verdict]


@given(st.lists(st.sampled_from([0.05, 0.3, 2.0, 20.0, 700.0]), max_size=60))
def test_a_revision_never_fails_against_itself(seconds: list[float]) -> None:
    totals = timed(*seconds) + Totals(server_errors=len(seconds) // 3, pages=9, repetition=3)
    for found in metric_measurements(Evidence(totals, totals), RULES):
        assert found.verdict != "Fail"
        assert len(found.message) <= 512

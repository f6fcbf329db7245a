from typing import Any

import pytest
from docparser_api.analysis import AnalysisSpec, PodsCheck
from docparser_api.status import Measurement, Verdict
from docparser_operator.analysis.judge import pod_measurements, query_measurements, verdict
from docparser_operator.pods import Pod


def a_pod(status: dict[str, Any]) -> Pod:
    return Pod(name="p", revision="r", deleting=False, ready=True, manifest={"status": status})


def killed(count: int = 1, when: str = "lastState") -> dict[str, Any]:
    return {"restartCount": count, when: {"terminated": {"reason": "OOMKilled"}}}


def ended(count: int) -> dict[str, Any]:
    return {"restartCount": count, "lastState": {"terminated": {"reason": "Error"}}}


def pods(
    *statuses: dict[str, Any], rules: PodsCheck | None = None
) -> list[tuple[str, float | None, str]]:
    spec = AnalysisSpec(pods=rules or PodsCheck())
    found = pod_measurements([a_pod(status) for status in statuses], spec)
    assert [m.name for m in found] == ["restarts", "outOfMemoryKills"]
    assert all(m.samples == len(statuses) for m in found)
    return [(m.verdict, m.canary, m.message) for m in found]


def test_pods_that_just_run_pass() -> None:
    status = {"containerStatuses": [{"restartCount": 0, "lastState": {}}]}
    assert pods(status, {}) == [
        ("Pass", 0, "0 restarts in 2 pods; at most 2 pass"),
        ("Pass", 0, "0 kills for lack of memory in 2 pods; at most 0 pass"),
    ]


def test_no_pods_pass() -> None:
    assert [found[0] for found in pods()] == ["Pass", "Pass"]


def test_restarts_of_all_containers_add_up() -> None:
    status = {"initContainerStatuses": [ended(1)], "containerStatuses": [ended(1)]}
    assert pods(status)[0][:2] == ("Pass", 2)
    assert pods(status, {"containerStatuses": [ended(1)]})[0][:2] == ("Fail", 3)
    assert pods(status, rules=PodsCheck(max_restarts=1))[0][0] == "Fail"


@pytest.mark.parametrize("when", ["state", "lastState"])
@pytest.mark.parametrize("kind", ["containerStatuses", "initContainerStatuses"])
def test_a_kill_for_lack_of_memory_fails(kind: str, when: str) -> None:
    status = {kind: [killed(0, when)]}
    assert pods(status)[1][:2] == ("Fail", 1)
    assert pods(status, rules=PodsCheck(max_out_of_memory_kills=1))[1][0] == "Pass"


def queries(value: float | None, **bounds: float) -> Measurement:
    check = {"queries": [{"name": "q", "query": "up", **bounds}]}
    spec = AnalysisSpec.model_validate({"prometheus": check})
    (found,) = query_measurements(spec, {"q": value, "other": 1.0})
    assert found.name == "prometheus/q"
    return found


@pytest.mark.parametrize(
    ("value", "bounds", "expected", "limit"),
    [
        (1.0, {"max": 1}, "Pass", 1),
        (1.1, {"max": 1}, "Fail", 1),
        (1.0, {"min": 1}, "Pass", 1),
        (0.9, {"min": 1}, "Fail", 1),
        (0.9, {"min": 1, "max": 2}, "Fail", 1),
        (1.5, {"min": 1, "max": 2}, "Pass", 2),
        (2.5, {"min": 1, "max": 2}, "Fail", 2),
        (None, {"max": 1}, "Inconclusive", 1),
    ],
)
def test_queries(
    value: float | None, bounds: dict[str, float], expected: Verdict, limit: float
) -> None:
    found = queries(value, **bounds)
    assert (found.verdict, found.canary, found.limit) == (expected, value, limit)


def test_an_infinite_answer_is_judged_but_not_written() -> None:
    found = queries(float("inf"), min=0, max=1)
    assert (found.verdict, found.canary) == ("Fail", None)
    assert found.message == "inf; at least 0 and at most 1 pass"


def test_a_query_that_was_not_asked_yet_is_inconclusive() -> None:
    spec = AnalysisSpec.model_validate(
        {"prometheus": {"queries": [{"name": "q", "query": "up", "max": 1}]}}
    )
    (found,) = query_measurements(spec, {})
    assert found.verdict == "Inconclusive"
    assert found.message == "no answer with exactly one number; at most 1 pass"
    assert query_measurements(AnalysisSpec(), {}) == []


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [
        ((), "Pass"),
        (("Pass",), "Pass"),
        (("Pass", "Inconclusive"), "Inconclusive"),
        (("Inconclusive", "Fail", "Pass"), "Fail"),
    ],
)
def test_the_worst_check_decides(verdicts: tuple[Verdict, ...], expected: Verdict) -> None:
    assert verdict(Measurement(name="x", verdict=one) for one in verdicts) == expected

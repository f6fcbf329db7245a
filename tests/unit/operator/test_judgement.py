"""What the new revision is found to be: all checks together."""

import pytest
from docparser_api.analysis import AnalysisSpec
from docparser_api.golden import (
    ClassScores,
    Comparison,
    Fault,
    GoldenFault,
    GoldenOutcome,
    GoldenReport,
    line_of,
)
from docparser_api.status import AnalysisStatus
from docparser_operator.analysis.evidence import Evidence
from docparser_operator.clock import timestamp
from docparser_operator.jobs import JobState
from docparser_operator.judgement import judged
from docparser_operator.pods import Pod
from support.fake_clock import START
from support.memory_senses import BAD, GOOD
from unit.operator.rollout_case import ago

RULES = AnalysisSpec()
WITH_GOLDEN = AnalysisSpec.model_validate({"goldenDocuments": {"configMapRef": {"name": "golden"}}})
WITH_QUERY = AnalysisSpec.model_validate(
    {"prometheus": {"queries": [{"name": "queue", "query": "up", "max": 5}]}}
)


def a_job(message: str = "", *, ended: bool = True) -> JobState:
    return JobState("reader-g-1", "golden", "new", ended, ended, message, (), {})


def report(error_rate: float) -> GoldenReport:
    worse = Comparison(
        canary=error_rate, stable=0, difference=error_rate, lower=error_rate, upper=error_rate
    )
    same = Comparison(canary=1, stable=1, difference=0, lower=0, upper=0)
    scores = ClassScores(documents=20, character_error_rate=worse, reading_order=same)
    return GoldenReport(documents=20, classes={"table": scores})


def found(
    evidence: Evidence | None = GOOD,
    *,
    rules: AnalysisSpec = RULES,
    pods: tuple[Pod, ...] = (),
    golden: JobState | None = None,
    before: AnalysisStatus | None = None,
) -> AnalysisStatus:
    return judged(rules, evidence, list(pods), golden, before, START)


def verdicts(status: AnalysisStatus) -> dict[str, str]:
    return {measurement.name: measurement.verdict for measurement in status.measurements}


def restarted(times: int) -> Pod:
    container = {"name": "runtime", "restartCount": times}
    return Pod(
        "p",
        "new",
        deleting=False,
        ready=True,
        manifest={"status": {"containerStatuses": [container]}},
    )


def test_a_revision_passes_when_every_check_does() -> None:
    assert found().verdict == "Pass"
    assert set(verdicts(found()).values()) == {"Pass"}
    assert found().changed_at == timestamp(START)


def test_one_check_that_fails_is_enough() -> None:
    assert found(BAD).verdict == "Fail"
    assert verdicts(found(BAD))["errorRate"] == "Fail"
    assert found(pods=(restarted(3),)).verdict == "Fail"
    assert verdicts(found(pods=(restarted(3),)))["restarts"] == "Fail"


def test_before_anything_is_measured_nothing_is_known() -> None:
    status = found(None)
    assert status.verdict == "Inconclusive"
    assert verdicts(status)["restarts"] == "Pass"
    assert verdicts(status)["errorRate"] == "Inconclusive"


def test_a_query_without_an_answer_is_not_decided() -> None:
    assert verdicts(found(rules=WITH_QUERY))["prometheus/queue"] == "Inconclusive"
    assert found(rules=WITH_QUERY).verdict == "Inconclusive"


def test_until_a_new_operator_has_looked_what_was_known_counts() -> None:
    before = found(BAD)
    assert found(None, before=before) == before
    assert verdicts(found(None, before=before, pods=(restarted(3),)))["errorRate"] == "Fail"
    assert found(GOOD, before=before).verdict == "Pass"


def test_numbers_change_all_the_time_and_are_written_only_with_a_verdict() -> None:
    before = found(GOOD).model_copy(update={"changed_at": ago(100)})
    later = Evidence(GOOD.canary + GOOD.canary, GOOD.stable, seconds=90)
    assert found(later, before=before) is before
    assert found(BAD, before=before).changed_at == timestamp(START)


GOLDEN: dict[str, tuple[JobState | None, str, str]] = {
    "no Job yet": (None, "Inconclusive", "not begun"),
    "it reads": (a_job(ended=False), "Inconclusive", "the documents are being read"),
    "it says nothing": (a_job(), "Inconclusive", "Job reader-g-1 ended without a result"),
    "it says something else": (a_job("Traceback"), "Inconclusive", "without a result"),
}


@pytest.mark.parametrize("name", GOLDEN)
def test_golden_documents_without_a_result_decide_nothing(name: str) -> None:
    job, verdict, words = GOLDEN[name]
    status = found(rules=WITH_GOLDEN, golden=job)
    golden = status.measurements[-1]
    assert (golden.name, golden.verdict, status.verdict) == ("golden", verdict, "Inconclusive")
    assert words in golden.message


@pytest.mark.parametrize(
    ("outcome", "verdict"),
    [
        (report(0.0), "Pass"),
        (report(0.5), "Fail"),
        (GoldenFault(error=Fault(code="NoDocuments", message="x" * 600)), "Inconclusive"),
    ],
)
def test_golden_documents_are_judged_with_the_rest(outcome: GoldenOutcome, verdict: str) -> None:
    status = found(rules=WITH_GOLDEN, golden=a_job(line_of(outcome)))
    assert status.verdict == verdict
    assert any(name.startswith("golden") for name in verdicts(status))


def test_other_words_about_golden_documents_are_news() -> None:
    before = found(rules=WITH_GOLDEN)
    after = found(rules=WITH_GOLDEN, golden=a_job(ended=False), before=before)
    assert after != before


def test_without_golden_documents_no_job_counts() -> None:
    assert not any(name.startswith("golden") for name in verdicts(found(golden=a_job())))

"""How far a rollout is, in words."""

from typing import Any

import pytest
from docparser_api.status import AnalysisStatus, Reason
from docparser_operator.observed import Observed
from docparser_operator.plan import Plan
from docparser_operator.problems import Problem
from docparser_operator.progress import number_of, progressing, up_to_date
from support.builders import a_parser, a_workload, observed_of
from unit.operator.plan_case import BEGUN, a_plan, rolling
from unit.operator.rollout_case import ago

PARSER = a_parser().with_replicas(3)
SOME = observed_of(a_workload("old", 3), a_workload("new", 3, available=1))
ALL = observed_of(a_workload("old", 3), a_workload("new", 3))
FAILS = AnalysisStatus(verdict="Fail", changed_at=ago(1))
DONE = BEGUN.model_copy(update={"promoted_at": ago(9), "completed_at": ago(1)})
AT: dict[str, Any] = {"steps": 4, "step_index": 1, "weight": 25}
PLACE = "revision 5 has 25 % of the requests, step 2 of 4"
RESUME = "it waits until the annotation docparser.dev/pause is removed"
PROMOTE = "docparser.dev/promote=5/1"

CASES: dict[str, tuple[Plan, Observed, str, Reason, str]] = {
    "pods start": (
        a_plan(),
        SOME,
        "True",
        Reason.ROLLING_OUT,
        "1 of 3 pods of revision 5 are available",
    ),
    "no pod has started": (
        a_plan(),
        observed_of(),
        "True",
        Reason.ROLLING_OUT,
        "0 of 3 pods of revision 5 are available",
    ),
    "older pods go first": (
        a_plan(waiting_for_pods=2, stepping=True),
        SOME,
        "True",
        Reason.WAITING_FOR_OLD_PODS,
        "revision 5 waits until 2 older pods are gone",
    ),
    "pods of a step start": (
        a_plan(rolling(**AT), stepping=True),
        SOME,
        "True",
        Reason.ROLLING_OUT,
        f"{PLACE}; 1 of 3 pods are available",
    ),
    "nothing was found yet": (
        a_plan(rolling(**AT), stepping=True),
        ALL,
        "True",
        Reason.ANALYSING,
        f"{PLACE}; found so far: Inconclusive",
    ),
    "something was found": (
        a_plan(rolling(**AT, analysis=FAILS), stepping=True),
        ALL,
        "True",
        Reason.ANALYSING,
        f"{PLACE}; found so far: Fail",
    ),
    "a step waits": (
        a_plan(rolling("Step", **AT), stepping=True),
        ALL,
        "True",
        Reason.PAUSED,
        f"{PLACE}; it waits for its time, or for the annotation {PROMOTE}",
    ),
    "a person asked to wait": (
        a_plan(rolling("Requested", **AT), stepping=True),
        SOME,
        "True",
        Reason.PAUSED,
        f"{PLACE}; {RESUME}",
    ),
    "a person asked a surge to wait": (
        a_plan(rolling("Requested")),
        ALL,
        "True",
        Reason.PAUSED,
        "revision 5 has 0 % of the requests; " + RESUME,
    ),
    "the analysis could not decide": (
        a_plan(rolling("Inconclusive", **AT), stepping=True),
        ALL,
        "True",
        Reason.PAUSED,
        f"{PLACE}; the analysis could not decide; it waits for the annotation {PROMOTE}",
    ),
    "all steps are done": (
        a_plan(rolling(steps=4, step_index=4, weight=50), stepping=True),
        SOME,
        "True",
        Reason.ROLLING_OUT,
        "revision 5 has 50 % of the requests; 1 of 3 pods are available",
    ),
    "it was given up": (
        a_plan(rolling(failed_at=ago(5))),
        SOME,
        "False",
        Reason.ROLLOUT_FAILED,
        "revision 5 was given up; revision in use: 4",
    ),
    "it was given up and the record of the other one is lost": (
        a_plan(rolling(failed_at=ago(5)), stable="lost"),
        SOME,
        "False",
        Reason.ROLLOUT_FAILED,
        "revision 5 was given up; revision in use: none",
    ),
    "older pods retire": (
        a_plan(stable="new"),
        ALL,
        "True",
        Reason.RETIRING,
        "revision 5 serves; 3 older pods have to finish and go",
    ),
    "it is done": (
        a_plan(DONE, stable="new"),
        ALL,
        "False",
        Reason.ROLLOUT_COMPLETE,
        "revision 5 serves",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_progress(name: str) -> None:
    plan, observed, status, reason, words = CASES[name]
    found = progressing(PARSER.built(), observed, plan, None)
    assert (found.status, found.reason, found.message) == (status, reason, words)
    latest = up_to_date(found, plan)
    assert latest.status == ("True" if reason == Reason.ROLLOUT_COMPLETE else "False")
    assert (latest.reason, latest.message) == (reason, words)


def test_with_no_pod_wanted_a_revision_waits_to_run() -> None:
    found = progressing(PARSER.with_replicas(0).built(), ALL, a_plan(), None)
    assert found.message == "revision 5 has not run yet; it serves once spec.replicas is above 0"


def test_what_is_refused_waits_whatever_was_planned() -> None:
    refusal = Problem(Reason.QUOTA_EXCEEDED, "no room")
    found = progressing(PARSER.built(), ALL, a_plan(DONE, stable="new"), refusal)
    assert (found.status, found.reason) == ("True", Reason.ROLLING_OUT)
    assert found.message == "revision 5 waits: no room"


def test_a_revision_without_a_record_has_no_number() -> None:
    assert [number_of(a_plan(), name) for name in ("new", "old", "lost", None)] == [
        5,
        4,
        None,
        None,
    ]

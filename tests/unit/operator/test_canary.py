"""Pods and requests of both revisions while one goes through its steps."""

from dataclasses import replace
from typing import Any

import pytest
from docparser_api.rollout import RolloutSpec
from docparser_api.status import AnalysisStatus, Measurement, Reason, RolloutPause, RolloutStatus
from docparser_operator.canary import LOOK_SECONDS
from docparser_operator.problems import problem
from docparser_operator.rollout import decide
from docparser_operator.situation import Failure, Situation
from docparser_operator.steps import Requests
from support.builders import a_workload, observed_of
from support.fake_clock import START
from unit.operator.rollout_case import Case, ago, check

STEPS: list[dict[str, Any]] = [
    {"setWeight": 25},
    {"pause": {}},
    {"setWeight": 100},
    {"pause": {}},
    {"setWeight": 0},
    {"pause": {}},
]
TRIED, FULL, NONE = 1, 3, 5
"""The pauses of STEPS, by the share that the new revision has at them."""


def rules(strategy: str, *steps: dict[str, Any]) -> RolloutSpec:
    given = {"strategy": strategy, "steps": list(steps), "progressDeadlineSeconds": 60}
    return RolloutSpec.model_validate(given)


CANARY, BLUE_GREEN = rules("Canary", *STEPS), rules("BlueGreen", {"pause": {}})
NOTHING = observed_of(a_workload("old", 3))
ONE = observed_of(a_workload("old", 3), a_workload("new", 1))
ALL = observed_of(a_workload("old", 3), a_workload("new", 3))


def at(step: int, rules: RolloutSpec = CANARY, **changes: Any) -> RolloutStatus:
    """Return a rollout that has been at `step` for a minute, with all of its pods."""
    first = Situation(3, rules, "new", False, "old", None, NOTHING, START)  # noqa: FBT003
    begun = {
        "started_at": ago(500),
        "step_index": step,
        "step_started_at": ago(60),
        "progressed_at": None,
    }
    return decide(first).rollout.model_copy(update=begun | changes)


def judged(verdict: str, *names: str) -> AnalysisStatus:
    found = [Measurement(name=name, verdict="Fail", message=f"{name} is bad") for name in names]
    return AnalysisStatus.model_validate(
        {"verdict": verdict, "changed_at": ago(1), "measurements": found}
    )


BESIDE = {
    "the first pod starts; all are selected, so that it gets requests once it is ready": Case(
        NOTHING,
        {"stepping": True, "serving": None, "sizes": {"old": 3, "new": 1}, "requeue_seconds": 60},
        progress={"weight": 0, "step_index": 0, "progressed_at": ago(0), "pause": None},
    ),
    "the first pod is there": Case(
        ONE,
        {"serving": None, "sizes": {"old": 3, "new": 1}, "requeue_seconds": None},
        rollout=at(0, step_started_at=None),
        progress={
            "weight": 25,
            "step_index": TRIED,
            "pause": RolloutPause(reason="Step", since=ago(0)),
            "progressed_at": None,
        },
    ),
    "a share of nothing": Case(
        ONE,
        {"serving": "old", "sizes": {"old": 3, "new": 0}},
        rollout=at(NONE),
        progress={"weight": 0},
    ),
    "all requests wait for all pods": Case(
        ONE,
        {"serving": None, "sizes": {"old": 3, "new": 3}},
        rollout=at(FULL),
        progress={"weight": 25},
    ),
    "all requests": Case(
        ALL,
        {"stable": "old", "serving": "new", "sizes": {"old": 3, "new": 3}},
        rollout=at(FULL),
        progress={"weight": 100},
    ),
    "pods of a third revision get no requests": Case(
        observed_of(a_workload("old", 3), a_workload("new", 1), a_workload("third", 1)),
        {"serving": "old", "sizes": {"old": 3, "new": 1, "third": 0}},
        rollout=at(TRIED),
        progress={"weight": 0},
    ),
    "not even when they shut down": Case(
        observed_of(a_workload("old", 3), a_workload("new", 1), leaving={"third": 1}),
        {"serving": "old"},
        rollout=at(TRIED),
    ),
    "a pod that is lost has its deadline from then on": Case(
        observed_of(a_workload("old", 3), a_workload("new", 1, available=0)),
        {"failed": False, "requeue_seconds": 60},
        rollout=at(TRIED, weight=25, available_pods=1),
        progress={"progressed_at": ago(0), "weight": 0},
    ),
    "all steps are done, pods are missing": Case(
        ONE,
        {"stepping": True, "stable": "old", "sizes": {"old": 3, "new": 3}, "requeue_seconds": 60},
        rollout=at(len(STEPS), step_started_at=None),
    ),
    "all steps are done": Case(
        ALL,
        {"stepping": False, "stable": "new", "serving": "new", "sizes": {"old": 3, "new": 3}},
        rollout=at(len(STEPS), step_started_at=None),
        progress={"promoted_at": ago(0), "weight": 100, "pause": None},
    ),
    "all steps are done, but somebody asks to wait": Case(
        ALL,
        {"stepping": True, "stable": "old"},
        rollout=at(len(STEPS), step_started_at=None),
        progress={"pause": RolloutPause(reason="Requested", since=ago(0))},
        more={"requests": Requests(paused=True)},
    ),
    "one that comes back needs no steps": Case(
        NOTHING,
        {"stepping": False, "serving": "old", "sizes": {"old": 3, "new": 3}},
        progress={"without_steps": True},
        more={"straight": True},
    ),
    "steps that are under way are gone through": Case(
        ONE, {"stepping": True}, rollout=at(TRIED), more={"straight": True}
    ),
    "a first revision needs no steps": Case(
        observed_of(a_workload("new", 1)), {"stepping": False, "sizes": {"new": 3}}, stable=None
    ),
}
SCALED = {
    "more pods are wanted": Case(
        ONE, {"sizes": {"old": 8, "new": 3}}, replicas=8, rollout=at(TRIED, weight=25)
    ),
    "the serving revision does not shrink, it may have to take all again": Case(
        observed_of(a_workload("old", 6), a_workload("new", 2)),
        {"sizes": {"old": 6, "new": 2}},
        rollout=at(TRIED, weight=25),
    ),
    "it shrinks while it gets all requests": Case(
        observed_of(a_workload("old", 6), a_workload("new", 2)),
        {"sizes": {"old": 3, "new": 1}},
        rollout=at(TRIED, weight=0),
    ),
    "no pod is wanted": Case(
        ONE,
        {"stepping": True, "stable": "old", "sizes": {"old": 0, "new": 0}},
        replicas=0,
        rollout=at(TRIED, weight=25),
    ),
}
GATEWAY = {
    "the Service keeps to the serving revision, the route has the share": Case(
        ONE,
        {"serving": "old", "requeue_seconds": LOOK_SECONDS},
        rollout=at(TRIED),
        progress={"weight": 25},
    ),
    "a share needs a pod": Case(
        observed_of(a_workload("old", 3), a_workload("new", 1, available=0)),
        {"serving": "old"},
        rollout=at(0),
        progress={"weight": 0},
    ),
    "a route that cannot split gives the new revision nothing": Case(
        ONE,
        {"serving": "old", "sizes": {"old": 3, "new": 1}},
        rollout=at(0, step_started_at=None),
        progress={"weight": 0, "step_index": 0},
        more={"unsplit": problem(Reason.GATEWAY_NOT_USABLE, "no route")},
    ),
}
SCARCE = {
    "no GPU is free: a pod makes room": Case(
        NOTHING,
        {"serving": None, "sizes": {"old": 2, "new": 0}, "waiting_for_pods": 1},
        progress={"in_place": True},
    ),
    "the room is taken": Case(
        observed_of(a_workload("old", 2)),
        {"serving": None, "sizes": {"old": 2, "new": 1}, "waiting_for_pods": 0},
        rollout=at(0, in_place=True, step_started_at=None),
    ),
    "in place, a share is one of all pods": Case(
        observed_of(a_workload("old", 2), a_workload("new", 1)),
        {"serving": None, "sizes": {"old": 2, "new": 1}},
        rollout=at(TRIED, in_place=True),
        progress={"weight": 33},
    ),
    "blue and green wait for GPUs": Case(
        NOTHING,
        {"serving": "old", "sizes": {"old": 3, "new": 3}},
        rules=BLUE_GREEN,
        progress={"in_place": False, "weight": 0},
    ),
}
GIVEN_UP = {
    "the analysis fails": Case(
        ONE,
        {
            "failure": Failure(Reason.ANALYSIS_FAILED, "errorRate: errorRate is bad"),
            "serving": "old",
            "sizes": {"old": 3, "new": 0},
            "stepping": False,
        },
        progress={"failed_at": ago(0), "weight": 0, "analysis": judged("Fail", "errorRate")},
        more={"analysis": judged("Fail", "errorRate")},
    ),
    "its pods restart": Case(
        ONE,
        {"failure": Failure(Reason.TOO_MANY_RESTARTS, "restarts: restarts is bad")},
        more={"analysis": judged("Fail", "restarts")},
    ),
    "nobody can promote what fails": Case(
        ALL,
        {"failed": True, "stable": "old"},
        more={"analysis": judged("Fail", "loopRate"), "requests": Requests(promote="all")},
    ),
    "somebody gives it up": Case(
        ONE,
        {
            "failure": Failure(Reason.ABORTED, "the annotation docparser.dev/abort asked for it"),
            "sizes": {"old": 3, "new": 0},
        },
        more={"requests": Requests(aborted=True, paused=True)},
        progress={"pause": None},
    ),
    "requests stay with it until the serving revision can take them": Case(
        observed_of(a_workload("old", 3, available=1), a_workload("new", 1)),
        {"failed": True, "serving": None, "sizes": {"old": 3, "new": 1}},
        rollout=at(TRIED, weight=50),
        progress={"weight": 50},
        more={"requests": Requests(aborted=True)},
    ),
    "a gateway keeps their share until then": Case(
        observed_of(a_workload("old", 3, available=1), a_workload("new", 1)),
        {"failed": True, "serving": "old", "sizes": {"old": 3, "new": 1}},
        rollout=at(TRIED, weight=40),
        progress={"weight": 40},
        more={"requests": Requests(aborted=True), "exact": True},
    ),
    "but not with pods that cannot take them either": Case(
        observed_of(a_workload("old", 3, available=1), a_workload("new", 1, available=0)),
        {"serving": "old", "sizes": {"old": 3, "new": 0}},
        rollout=at(TRIED, weight=25),
        more={"requests": Requests(aborted=True)},
    ),
    "then all go back": Case(
        observed_of(a_workload("old", 3, available=2), a_workload("new", 1)),
        {"failed": False, "serving": "old", "sizes": {"old": 3, "new": 0}},
        rollout=at(TRIED, weight=50, failed_at=ago(10)),
        target_failed=True,
        progress={"weight": 0, "failed_at": ago(10)},
    ),
}
CASES = {
    "beside": BESIDE | SCALED,
    "gateway": {name: replace(c, more={**c.more, "exact": True}) for name, c in GATEWAY.items()},
    "scarce": {name: replace(c, more={**c.more, "fitting": 0}) for name, c in SCARCE.items()},
    "given up": {name: replace(c, rollout=c.rollout or at(TRIED)) for name, c in GIVEN_UP.items()},
}


@pytest.mark.parametrize(("group", "name"), [(g, name) for g in CASES for name in CASES[g]])
def test_decision(group: str, name: str) -> None:
    case = CASES[group][name]
    check(case if case.rules is BLUE_GREEN else replace(case, rules=CANARY))

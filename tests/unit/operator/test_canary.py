"""Pods and requests of both revisions while one goes through its steps."""

from dataclasses import replace

import pytest
from docparser_api.status import Reason, RolloutPause
from docparser_operator.canary import LOOK_SECONDS
from docparser_operator.problems import problem
from docparser_operator.steps import Requests
from support.builders import a_workload, observed_of
from unit.operator.canary_case import (
    ALL,
    BLUE_GREEN,
    CANARY,
    FULL,
    NONE,
    NOTHING,
    ONE,
    STEPS,
    TRIED,
    at,
)
from unit.operator.rollout_case import Case, ago, check

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
    "all steps are done, but this operator has not looked at it": Case(
        ALL,
        {"stepping": True, "stable": "old"},
        rollout=at(len(STEPS), step_started_at=None),
        more={"measured": False},
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
    "pods of a third revision go on serving, they are needed": Case(
        observed_of(a_workload("old", 1), a_workload("third", 2), a_workload("new", 0)),
        {"serving": None, "sizes": {"old": 1, "third": 1, "new": 0}},
        rollout=at(0, in_place=True, step_started_at=None),
    ),
    "blue and green wait for GPUs": Case(
        NOTHING,
        {"serving": "old", "sizes": {"old": 3, "new": 3}},
        rules=BLUE_GREEN,
        progress={"in_place": False, "weight": 0},
    ),
}
CASES = {
    "beside": BESIDE | SCALED,
    "gateway": {name: replace(c, more={**c.more, "exact": True}) for name, c in GATEWAY.items()},
    "scarce": {name: replace(c, more={**c.more, "fitting": 0}) for name, c in SCARCE.items()},
}


@pytest.mark.parametrize(("group", "name"), [(g, name) for g in CASES for name in CASES[g]])
def test_decision(group: str, name: str) -> None:
    case = CASES[group][name]
    check(case if case.rules is BLUE_GREEN else replace(case, rules=CANARY))

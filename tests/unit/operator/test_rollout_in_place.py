from dataclasses import replace

import pytest
from docparser_operator.observed import Observed
from docparser_operator.steps import Requests
from support.builders import a_workload, observed_of
from unit.operator.rollout_case import (
    IN_PLACE,
    SURGE,
    TWO_AT_A_TIME,
    Case,
    ago,
    check,
    failed,
    promoted,
    rolling,
)

REPLACEMENTS = {
    "one of three pods goes first": Case(
        observed_of(a_workload("old", 3)),
        {
            "stable": "old",
            "serving": None,
            "sizes": {"old": 2, "new": 0},
            "waiting_for_pods": 1,
            "requeue_seconds": None,
        },
    ),
    "the pod that goes still holds its GPU": Case(
        observed_of(a_workload("old", 2), a_workload("new", 0), leaving={"old": 1}),
        {"sizes": {"old": 2, "new": 0}, "waiting_for_pods": 1},
    ),
    "the pod is gone and its place is taken": Case(
        observed_of(a_workload("old", 2), a_workload("new", 0)),
        {"sizes": {"old": 2, "new": 1}, "waiting_for_pods": 0, "requeue_seconds": 60},
        rollout=rolling("new", progressed=5000),
        progress={"progressed_at": ago(0)},
    ),
    "nothing moves until the new pod is available": Case(
        observed_of(a_workload("old", 2), a_workload("new", 1, available=0)),
        {"sizes": {"old": 2, "new": 1}, "requeue_seconds": 59},
        rollout=rolling("new"),
    ),
    "the next pod goes": Case(
        observed_of(a_workload("old", 2), a_workload("new", 1)),
        {"serving": None, "sizes": {"old": 1, "new": 1}},
    ),
    "the last pod goes": Case(
        observed_of(a_workload("old", 1), a_workload("new", 2)),
        {"stable": "old", "serving": "new", "sizes": {"old": 0, "new": 2}},
    ),
    "all are replaced": Case(
        observed_of(a_workload("old", 0), a_workload("new", 3)),
        {"stable": "new", "serving": "new", "sizes": {"new": 3}, "delete": ("old",)},
    ),
    "two go at a time": Case(
        observed_of(a_workload("old", 3)), {"sizes": {"old": 1, "new": 0}}, rules=TWO_AT_A_TIME
    ),
    "a single pod goes before its successor comes": Case(
        observed_of(a_workload("old", 1)),
        {"serving": "new", "sizes": {"old": 0, "new": 0}, "waiting_for_pods": 1},
        replicas=1,
    ),
    "the successor of a single pod comes": Case(
        observed_of(a_workload("old", 0), a_workload("new", 0)),
        {"sizes": {"new": 1}, "delete": ()},
        replicas=1,
    ),
    "waiting for a pod that shuts down is no failure": Case(
        observed_of(a_workload("old", 0), a_workload("new", 0), leaving={"old": 1}),
        {"failed": False, "sizes": {"old": 0, "new": 0}, "requeue_seconds": None},
        replicas=1,
        rollout=rolling("new", progressed=5000),
    ),
    "the controller has not seen the smaller size": Case(
        observed_of(a_workload("old", 2, pods=2, current=False), a_workload("new", 0)),
        {"sizes": {"old": 2, "new": 0}},
    ),
    "the controller counts a pod that is not listed yet": Case(
        Observed(workloads={"old": a_workload("old", 2, pods=3), "new": a_workload("new", 0)}),
        {"sizes": {"old": 2, "new": 0}},
    ),
    "no progress: the old pods come back one by one": Case(
        observed_of(a_workload("old", 1), a_workload("new", 2, available=1)),
        {"stable": "old", "serving": None, "sizes": {"old": 1, "new": 1}, "failed": True},
        rollout=rolling("new", progressed=60, available=1),
    ),
    "pods of a failed revision that never came up are not kept": Case(
        observed_of(a_workload("old", 2), a_workload("new", 1, available=0)),
        {"serving": "old", "sizes": {"old": 2, "new": 0}, "failed": True},
        rollout=rolling("new", progressed=60),
    ),
    "the room of a failed pod is taken back": Case(
        observed_of(a_workload("old", 2), a_workload("new", 0)),
        {"serving": "old", "sizes": {"old": 3}, "delete": ("new",)},
        rollout=failed("new"),
        target_failed=True,
    ),
    "a revert in the middle replaces in place too": Case(
        observed_of(a_workload("new", 1), a_workload("canary", 2)),
        {"stable": "new", "serving": None, "sizes": {"new": 1, "canary": 1}},
        stable="new",
        rollout=rolling("canary"),
    ),
    "a revert does not take the room of its own pods that shut down": Case(
        observed_of(a_workload("new", 2), a_workload("canary", 0), leaving={"new": 1}),
        {"sizes": {"new": 2}, "delete": ("canary",)},
        stable="new",
        rollout=rolling("canary"),
    ),
    "a third spec keeps available pods of the second": Case(
        observed_of(a_workload("old", 1), a_workload("canary", 2), a_workload("new", 0)),
        {"serving": None, "sizes": {"old": 1, "canary": 1, "new": 0}},
        rollout=rolling("canary"),
    ),
    "replicas grow in the middle": Case(
        observed_of(a_workload("old", 2), a_workload("new", 1)),
        {"sizes": {"old": 2, "new": 3}},
        replicas=5,
    ),
    "replicas shrink in the middle": Case(
        observed_of(a_workload("old", 2), a_workload("new", 1)),
        {"stable": "new", "sizes": {"old": 2, "new": 1}},
        replicas=1,
    ),
    "a pause holds the exchange": Case(
        observed_of(a_workload("old", 2), a_workload("new", 1)),
        {"stable": "old", "serving": None, "sizes": {"old": 2, "new": 1}},
        more={"requests": Requests(paused=True)},
    ),
    "a pause gives the old revision its room back": Case(
        observed_of(a_workload("old", 2), a_workload("new", 0)),
        {"sizes": {"old": 3, "new": 0}},
        more={"requests": Requests(paused=True)},
    ),
    "once all are replaced there is nothing left to hold": Case(
        observed_of(a_workload("old", 0), a_workload("new", 3)),
        {"stable": "new", "serving": "new", "sizes": {"new": 3}},
        rollout=rolling("new").model_copy(update={"in_place": True}),
        more={"requests": Requests(paused=True)},
    ),
    "at rest the size is what spec says, whatever crashes": Case(
        observed_of(a_workload("new", 3, available=1)),
        {"stable": "new", "serving": "new", "sizes": {"new": 3}},
        stable="new",
        rollout=promoted("new", completed=True),
    ),
}


@pytest.mark.parametrize("name", REPLACEMENTS)
def test_decision(name: str) -> None:
    case = REPLACEMENTS[name]
    check(replace(case, rules=IN_PLACE) if case.rules is SURGE else case)


UNFINISHED = rolling("second").model_copy(update={"in_place": True})
CHANGED = {
    "what was replaced in place goes on so, since its pods serve": Case(
        observed_of(a_workload("old", 1), a_workload("second", 2)),
        {"serving": None, "sizes": {"old": 1, "second": 1, "new": 0}},
        rollout=UNFINISHED,
        progress={"in_place": True},
    ),
    "not if the old revision can take all requests": Case(
        observed_of(a_workload("old", 2), a_workload("second", 1)),
        {"serving": "old", "sizes": {"old": 3, "second": 0, "new": 3}},
        rollout=UNFINISHED,
        progress={"in_place": False},
    ),
    "not if it was finished": Case(
        observed_of(a_workload("old", 3, available=1)),
        {"serving": "old", "sizes": {"old": 3, "new": 3}},
        rollout=promoted("old", completed=True).model_copy(update={"in_place": True}),
        progress={"in_place": False},
    ),
}


@pytest.mark.parametrize("name", CHANGED)
def test_another_spec_and_strategy_at_the_same_time(name: str) -> None:
    check(CHANGED[name])

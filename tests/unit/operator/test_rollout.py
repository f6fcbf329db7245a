from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest
from docparser_api.spec import RolloutSpec
from docparser_api.status import RolloutStatus
from docparser_operator.clock import timestamp
from docparser_operator.observed import Observed
from docparser_operator.rollout import RETIRE_DELAY_SECONDS, Situation, decide
from support.builders import a_workload, observed_of
from support.fake_clock import START

SURGE = RolloutSpec(progress_deadline_seconds=60)
IN_PLACE = RolloutSpec(strategy="InPlace", progress_deadline_seconds=60)
TWO_AT_A_TIME = IN_PLACE.model_copy(update={"max_unavailable": 2})


def ago(seconds: float) -> str:
    return timestamp(START - timedelta(seconds=seconds))


def rolling(revision: str, *, progressed: float = 1, available: int = 0) -> RolloutStatus:
    return RolloutStatus(
        revision=revision,
        started_at=ago(500),
        progressed_at=ago(progressed),
        available_pods=available,
    )


def promoted(revision: str, seconds: float = 400, *, completed: bool = False) -> RolloutStatus:
    end = ago(seconds) if completed else None
    return rolling(revision).model_copy(update={"promoted_at": ago(seconds), "completed_at": end})


def failed(revision: str) -> RolloutStatus:
    return rolling(revision).model_copy(update={"failed_at": ago(100)})


@dataclass(frozen=True)
class Case:
    """A situation with target `new`, and the fields of the decision that matter in it."""

    observed: Observed
    want: dict[str, Any]
    stable: str | None = "old"
    replicas: int = 3
    rules: RolloutSpec = SURGE
    rollout: RolloutStatus | None = None
    target: str = "new"
    target_failed: bool = False
    progress: dict[str, Any] = field(default_factory=dict)


FIRST = {
    "nothing exists yet": Case(
        observed_of(),
        {"stable": None, "serving": "new", "sizes": {"new": 3}, "requeue_seconds": None},
        stable=None,
    ),
    "some pods of the first revision are available": Case(
        observed_of(a_workload("new", 3, available=2)),
        {"stable": None, "serving": "new", "sizes": {"new": 3}},
        stable=None,
        rollout=rolling("new"),
    ),
    "all pods of the first revision are available": Case(
        observed_of(a_workload("new", 3)),
        {"stable": "new", "serving": "new", "sizes": {"new": 3}},
        stable=None,
        rollout=rolling("new"),
        progress={"promoted_at": ago(0), "completed_at": ago(0)},
    ),
    "a first revision never fails, since there is nothing to go back to": Case(
        observed_of(a_workload("new", 3, available=0)),
        {"stable": None, "sizes": {"new": 3}, "failed": False, "requeue_seconds": None},
        stable=None,
        rollout=rolling("new", progressed=5000),
    ),
    "the first spec was wrong and is replaced": Case(
        observed_of(a_workload("wrong", 3, available=0)),
        {"stable": None, "serving": "new", "sizes": {"wrong": 0, "new": 3}},
        stable=None,
        rollout=rolling("wrong"),
    ),
    "the first spec was wrong and is replaced in place": Case(
        observed_of(a_workload("wrong", 3, available=0)),
        {"sizes": {"wrong": 0, "new": 0}, "waiting_for_pods": 3},
        stable=None,
        rules=IN_PLACE,
    ),
    "a first revision of no pods serves at once": Case(
        observed_of(a_workload("new", 0)),
        {"stable": "new", "sizes": {"new": 0}},
        stable=None,
        replicas=0,
    ),
}

SURGES = {
    "a new revision starts beside the old one": Case(
        observed_of(a_workload("old", 3)),
        {
            "stable": "old",
            "serving": "old",
            "sizes": {"old": 3, "new": 3},
            "requeue_seconds": 60,
        },
        progress={"started_at": ago(0), "progressed_at": ago(0)},
    ),
    "the Service stays while a pod is missing": Case(
        observed_of(a_workload("old", 3), a_workload("new", 3, available=2)),
        {"stable": "old", "serving": "old", "sizes": {"old": 3, "new": 3}},
        rollout=rolling("new"),
    ),
    "the Service moves, and the old pods stay for now": Case(
        observed_of(a_workload("old", 3), a_workload("new", 3)),
        {
            "stable": "new",
            "serving": "new",
            "sizes": {"old": 3, "new": 3},
            "requeue_seconds": RETIRE_DELAY_SECONDS,
        },
        rollout=rolling("new"),
        progress={"promoted_at": ago(0), "completed_at": None},
    ),
    "all nodes know that the Service has moved": Case(
        observed_of(a_workload("old", 3), a_workload("new", 3)),
        {"stable": "new", "sizes": {"old": 0, "new": 3}, "requeue_seconds": None},
        stable="new",
        rollout=promoted("new", RETIRE_DELAY_SECONDS),
    ),
    "old pods still shut down": Case(
        observed_of(a_workload("old", 0), a_workload("new", 3), leaving={"old": 2}),
        {"sizes": {"old": 0, "new": 3}, "delete": ()},
        stable="new",
        rollout=promoted("new"),
        progress={"completed_at": None},
    ),
    "the last old pod is gone": Case(
        observed_of(a_workload("old", 0), a_workload("new", 3)),
        {"sizes": {"new": 3}, "delete": ("old",)},
        stable="new",
        rollout=promoted("new"),
        progress={"completed_at": ago(0)},
    ),
    "replicas change in the middle": Case(
        observed_of(a_workload("old", 3), a_workload("new", 3, available=1)),
        {"serving": "old", "sizes": {"old": 5, "new": 5}},
        replicas=5,
        rollout=rolling("new"),
    ),
    "replicas go to zero in the middle": Case(
        observed_of(a_workload("old", 3), a_workload("new", 3, available=1)),
        {"stable": "new", "serving": "new", "sizes": {"old": 3, "new": 0}},
        replicas=0,
        rollout=rolling("new"),
    ),
    "the spec is reverted in the middle": Case(
        observed_of(a_workload("new", 3), a_workload("canary", 3, available=1)),
        {"stable": "new", "serving": "new", "sizes": {"new": 3, "canary": 3}},
        stable="new",
        rollout=rolling("canary"),
        progress={"revision": "new", "promoted_at": ago(0)},
    ),
    "a third spec replaces the second and not the one that serves": Case(
        observed_of(a_workload("old", 3), a_workload("canary", 3, available=1)),
        {"stable": "old", "serving": "old", "sizes": {"old": 3, "canary": 0, "new": 3}},
        rollout=rolling("canary"),
        progress={"revision": "new", "started_at": ago(0)},
    ),
    "the old revision is broken and the new one good": Case(
        observed_of(a_workload("old", 3, available=0), a_workload("new", 3)),
        {"stable": "new", "serving": "new"},
        rollout=rolling("new"),
    ),
    "more pods than asked for are available": Case(
        observed_of(a_workload("old", 5), a_workload("new", 5)),
        {"stable": "new", "sizes": {"old": 5, "new": 3}},
        rollout=rolling("new"),
    ),
}

FAILURES = {
    "the deadline is not over": Case(
        observed_of(a_workload("old", 3), a_workload("new", 3, available=2)),
        {"failed": False, "requeue_seconds": 1},
        rollout=rolling("new", progressed=59, available=2),
    ),
    "no progress until the deadline": Case(
        observed_of(a_workload("old", 3), a_workload("new", 3, available=2)),
        {"stable": "old", "serving": "old", "sizes": {"old": 3, "new": 0}, "failed": True},
        rollout=rolling("new", progressed=60, available=2),
        progress={"failed_at": ago(0)},
    ),
    "a pod becomes available at the deadline": Case(
        observed_of(a_workload("old", 3), a_workload("new", 3, available=2)),
        {"failed": False, "requeue_seconds": 60},
        rollout=rolling("new", progressed=60, available=1),
        progress={"progressed_at": ago(0), "available_pods": 2},
    ),
    "a pod that comes and goes is no progress": Case(
        observed_of(a_workload("old", 3), a_workload("new", 3, available=1)),
        {"failed": True},
        rollout=rolling("new", progressed=60, available=2),
    ),
    "a failed revision is not tried again": Case(
        observed_of(a_workload("old", 3), a_workload("new", 3)),
        {"stable": "old", "serving": "old", "sizes": {"old": 3, "new": 0}, "failed": False},
        rollout=failed("new"),
        target_failed=True,
        progress={"failed_at": ago(100)},
    ),
    "the Deployment of a failed revision is empty": Case(
        observed_of(a_workload("old", 3), a_workload("new", 0)),
        {"sizes": {"old": 3}, "delete": ("new",)},
        rollout=failed("new"),
        target_failed=True,
    ),
    "a crash lost the time of the failure but not the failure": Case(
        observed_of(a_workload("old", 3), a_workload("new", 3, available=0)),
        {"sizes": {"old": 3, "new": 0}, "failed": False},
        rollout=rolling("new", progressed=70),
        target_failed=True,
        progress={"failed_at": ago(0)},
    ),
    "another attempt is asked for": Case(
        observed_of(a_workload("old", 3)),
        {"failed": False, "sizes": {"old": 3, "new": 3}, "requeue_seconds": 60},
        rollout=failed("new"),
        progress={"started_at": ago(0), "failed_at": None, "available_pods": 0},
    ),
    "another attempt is asked for while pods of the last one go": Case(
        observed_of(a_workload("old", 3), a_workload("new", 0, pods=2, available=0)),
        {"failed": False, "sizes": {"old": 3, "new": 3}, "requeue_seconds": 60},
        rollout=failed("new"),
    ),
    "a failed revision at scale zero stays failed": Case(
        observed_of(a_workload("old", 3), a_workload("new", 0)),
        {"stable": "old", "sizes": {"old": 0}},
        replicas=0,
        rollout=failed("new"),
        target_failed=True,
    ),
    "the clock has jumped back by an hour": Case(
        observed_of(a_workload("old", 3), a_workload("new", 3, available=0)),
        {"failed": False, "requeue_seconds": 60},
        rollout=rolling("new", progressed=-3600),
        progress={"progressed_at": ago(0)},
    ),
    "the clock has jumped back after the Service moved": Case(
        observed_of(a_workload("old", 3), a_workload("new", 3)),
        {"sizes": {"old": 3, "new": 3}, "requeue_seconds": RETIRE_DELAY_SECONDS},
        stable="new",
        rollout=promoted("new", -3600),
        progress={"promoted_at": ago(0)},
    ),
}

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
    "at rest the size is what spec says, whatever crashes": Case(
        observed_of(a_workload("new", 3, available=1)),
        {"stable": "new", "serving": "new", "sizes": {"new": 3}},
        stable="new",
        rollout=promoted("new", completed=True),
    ),
}
REPLACEMENTS = {
    name: Case(**{**vars(case), "rules": IN_PLACE if case.rules is SURGE else case.rules})
    for name, case in REPLACEMENTS.items()
}

CASES = {
    f"{group}: {name}": case
    for group, cases in {
        "first": FIRST,
        "surge": SURGES,
        "failure": FAILURES,
        "in place": REPLACEMENTS,
    }.items()
    for name, case in cases.items()
}


@pytest.mark.parametrize("name", CASES)
def test_decision(name: str) -> None:
    case = CASES[name]
    decision = decide(
        Situation(
            replicas=case.replicas,
            rules=case.rules,
            target=case.target,
            target_failed=case.target_failed,
            stable=case.stable,
            rollout=case.rollout,
            observed=case.observed,
            now=START,
        )
    )
    assert {key: getattr(decision, key) for key in case.want} == case.want
    assert {key: getattr(decision.rollout, key) for key in case.progress} == case.progress
    assert decision.rollout.revision == case.target

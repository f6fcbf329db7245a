import pytest
from support.builders import a_workload, observed_of
from unit.operator.rollout_case import (
    IN_PLACE,
    SURGE,
    Case,
    ago,
    check,
    promoted,
    rolling,
)

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
    "a first revision that is scaled to zero has nothing to wait for": Case(
        observed_of(a_workload("new", 1, available=0)),
        {"stable": "new", "sizes": {"new": 0}},
        stable=None,
        replicas=0,
        rollout=rolling("new").model_copy(update={"pods_wanted": 1}),
    ),
    "a first revision of no pods serves at once": Case(
        observed_of(a_workload("new", 0)),
        {"stable": "new", "sizes": {"new": 0}},
        stable=None,
        replicas=0,
    ),
}
SURGES = {
    "with no pod wanted, a revision that was tried in vain does not serve": Case(
        observed_of(a_workload("old", 0), a_workload("new", 0)),
        {"stable": "old", "serving": "old", "sizes": {"old": 0, "new": 0}},
        replicas=0,
        rollout=rolling("new").model_copy(update={"pods_wanted": 3}),
    ),
    "with no pod wanted, a revision that is new serves at once": Case(
        observed_of(a_workload("old", 0)),
        {"stable": "new", "serving": "new"},
        replicas=0,
    ),
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
            "requeue_seconds": SURGE.scale_down_delay_seconds,
        },
        rollout=rolling("new"),
        progress={"promoted_at": ago(0), "completed_at": None},
    ),
    "all nodes know that the Service has moved": Case(
        observed_of(a_workload("old", 3), a_workload("new", 3)),
        {"stable": "new", "sizes": {"old": 0, "new": 3}, "requeue_seconds": None},
        stable="new",
        rollout=promoted("new", SURGE.scale_down_delay_seconds),
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

CASES = FIRST | SURGES


@pytest.mark.parametrize("name", CASES)
def test_decision(name: str) -> None:
    check(CASES[name])

import pytest
from support.builders import a_workload, observed_of
from unit.operator.rollout_case import (
    SURGE,
    Case,
    ago,
    check,
    failed,
    promoted,
    rolling,
)

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
        {"sizes": {"old": 3, "new": 3}, "requeue_seconds": SURGE.scale_down_delay_seconds},
        stable="new",
        rollout=promoted("new", -3600),
        progress={"promoted_at": ago(0)},
    ),
}

CASES = FAILURES


@pytest.mark.parametrize("name", CASES)
def test_decision(name: str) -> None:
    check(CASES[name])

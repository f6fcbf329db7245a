"""Capacity, weights and rollback as conditions."""

from dataclasses import replace
from typing import Any

import pytest
from docparser_api import names
from docparser_api.status import ConditionType, Reason, RollbackStatus, RolloutStatus
from docparser_operator.findings import (
    capacity_available,
    more_findings,
    rolled_back,
    weights_verified,
)
from docparser_operator.observed import Observed
from docparser_operator.plan import Plan
from docparser_operator.pods import Pod
from docparser_operator.problems import Problem
from docparser_operator.surroundings import Surroundings
from support.builders import a_parser
from unit.operator.plan_case import BEGUN, GPU, NEW, NO_GPU, OLD, a_plan, nodes
from unit.operator.rollout_case import ago

ON_GPU = replace(NEW, template=GPU)
PARSER = a_parser().built()


def on_gpus(gpus: int, rollout: RolloutStatus = BEGUN) -> Plan:
    return a_plan(rollout, target=ON_GPU, around=Surroundings(capacity=nodes(gpus)))


def placed(count: int) -> Observed:
    """Return so many pods of the target that have a node."""
    manifest = {"spec": {"nodeName": "a"}}
    pods = [
        Pod(f"p{i}", "new", deleting=False, ready=True, manifest=manifest) for i in range(count)
    ]
    return Observed(pods=tuple(pods))


CAPACITIES: dict[str, tuple[Plan, int, str, Reason, str]] = {
    "no GPU is needed": (
        a_plan(around=Surroundings(capacity=nodes(0))),
        0,
        "True",
        Reason.NO_GPU_NEEDED,
        "no pod needs",
    ),
    "the nodes may not be looked at": (
        a_plan(target=ON_GPU),
        0,
        "True",
        Reason.NO_GPU_NEEDED,
        "may not be looked at",
    ),
    "all find free GPUs": (on_gpus(3), 0, "True", Reason.CAPACITY_FREE, "find free GPUs"),
    "one finds none": (
        on_gpus(2),
        0,
        "False",
        Reason.INSUFFICIENT_GPUS,
        "3 more pods need GPUs, 2 would find them",
    ),
    "those that have a node need no more": (
        on_gpus(1),
        2,
        "True",
        Reason.CAPACITY_FREE,
        "find free GPUs",
    ),
    "in place, others give theirs up": (
        on_gpus(0, BEGUN.model_copy(update={"in_place": True})),
        3,
        "True",
        Reason.CAPACITY_FREE,
        "replaced in place",
    ),
    "in place, at rest": (
        on_gpus(0, BEGUN.model_copy(update={"in_place": True, "completed_at": ago(1)})),
        3,
        "True",
        Reason.CAPACITY_FREE,
        "find free GPUs",
    ),
}


@pytest.mark.parametrize("name", CAPACITIES)
def test_capacity(name: str) -> None:
    plan, count, status, reason, words = CAPACITIES[name]
    found = capacity_available(plan, placed(count))
    assert (found.status, found.reason) == (status, reason)
    assert words in found.message


WEIGHTS = {"model": {"weights": {"version": "v7", "source": {"s3": {}}}}}
CLAIM = {"persistentVolumeClaim": {"claimName": "cache", "accessMode": "ReadWriteMany"}}


def with_weights(cache: dict[str, Any] | None = None, modes: set[str] | None = None) -> Plan:
    weights = {**WEIGHTS["model"]["weights"], "cache": cache or {}}
    target = replace(NEW, shape={"model": {"weights": weights}}, template=NO_GPU)
    known = None if modes is None else frozenset(modes)
    return a_plan(target=target, around=Surroundings(access_modes=known))


def fetching(*codes: int | None, revision: str = "new") -> Observed:
    """Return a pod for each exit code of its fetch; None for one that fetches."""
    pods = []
    for code in codes:
        state = (
            {"running": {}} if code is None else {"terminated": {"exitCode": code, "reason": "x"}}
        )
        status = {"initContainerStatuses": [{"name": names.WEIGHTS_CONTAINER, "state": state}]}
        manifest = {"status": status}
        pods.append(Pod("p", revision, deleting=False, ready=False, manifest=manifest))
    return Observed(pods=tuple(pods))


VERIFIED: dict[str, tuple[Plan, Observed, str, Reason, str]] = {
    "no pod yet": (
        with_weights(),
        fetching(),
        "Unknown",
        Reason.WEIGHTS_PENDING,
        "not verified yet",
    ),
    "a pod fetches": (
        with_weights(),
        fetching(None),
        "Unknown",
        Reason.WEIGHTS_PENDING,
        "weights v7 of revision 5",
    ),
    "one pod is through": (
        with_weights(),
        fetching(None, 0),
        "True",
        Reason.WEIGHTS_VERIFIED,
        "what they should be",
    ),
    "one pod failed": (
        with_weights(),
        fetching(0, 1),
        "False",
        Reason.WEIGHTS_INVALID,
        "exit code 1",
    ),
    "a pod of another revision failed": (
        with_weights(),
        fetching(1, revision="old"),
        "Unknown",
        Reason.WEIGHTS_PENDING,
        "not verified",
    ),
    "the claim cannot be shared": (
        with_weights(CLAIM, {"ReadWriteOnce"}),
        fetching(0),
        "False",
        Reason.VOLUME_NOT_USABLE,
        "claim cache has access mode ReadWriteOnce, but spec says ReadWriteMany",
    ),
    "the claim can be shared": (
        with_weights(CLAIM, {"ReadWriteMany", "ReadWriteOnce"}),
        fetching(0),
        "True",
        Reason.WEIGHTS_VERIFIED,
        "what they should be",
    ),
    "the claim is not known": (
        with_weights(CLAIM),
        fetching(0),
        "True",
        Reason.WEIGHTS_VERIFIED,
        "what they should be",
    ),
}


@pytest.mark.parametrize("name", VERIFIED)
def test_weights(name: str) -> None:
    plan, observed, status, reason, words = VERIFIED[name]
    found = weights_verified(plan, observed)
    assert found is not None
    assert (found.status, found.reason) == (status, reason)
    assert words in found.message


def test_without_weights_nothing_is_said_of_them() -> None:
    assert weights_verified(a_plan(), Observed()) is None
    kinds = [finding.type for finding in more_findings(PARSER, a_plan(), Observed())]
    assert ConditionType.WEIGHTS_VERIFIED not in kinds
    assert ConditionType.WEIGHTS_VERIFIED in [
        finding.type for finding in more_findings(PARSER, with_weights(), Observed())
    ]


BEGUN_ROLLBACK = RollbackStatus(to="4", revision="old", spec_revision="new", since=ago(9))
ENDED = BEGUN_ROLLBACK.model_copy(update={"revision": None})
REFUSED = Problem(Reason.REVISION_NOT_FOUND, "no kept revision is named '9'")
TO_END = "remove the annotation docparser.dev/rollback-to or change spec to end it"
ROLLBACKS: dict[str, tuple[Plan, str, Reason, str]] = {
    "none": (a_plan(), "False", Reason.NOT_ROLLED_BACK, "the revision of spec is to serve"),
    "in force": (
        a_plan(target=OLD, choice={"wanted": NEW, "rollback": BEGUN_ROLLBACK}),
        "True",
        Reason.ROLLED_BACK,
        "revision 4 runs instead of 5, as asked; " + TO_END,
    ),
    "ended by spec": (
        a_plan(choice={"rollback": ENDED}),
        "False",
        Reason.NOT_ROLLED_BACK,
        "the revision of spec is to serve; spec has changed since the rollback, which has ended",
    ),
    "refused": (
        a_plan(choice={"refusal": REFUSED}),
        "False",
        Reason.REVISION_NOT_FOUND,
        REFUSED.message,
    ),
}


@pytest.mark.parametrize("name", ROLLBACKS)
def test_rollback(name: str) -> None:
    plan, status, reason, words = ROLLBACKS[name]
    known = BEGUN_ROLLBACK.model_dump(by_alias=True)
    found = rolled_back(a_parser().with_status(rollback=known).built(), plan)
    assert (found.status, found.reason, found.message) == (status, reason, words)

"""Where requests enter and which revision gets how many tasks, table by table."""

import json
from typing import Any

import pytest
from docparser_api import names
from docparser_api.autoscaling import AutoscalingStatus, ScalingReason
from docparser_api.status import Reason, RolloutStatus
from docparser_operator.desired.gateways import gateway_selector
from docparser_operator.desired.metadata import pod_selector
from docparser_operator.desired.queue import split_of
from docparser_operator.kinds import Manifest
from docparser_operator.observed import Observed
from docparser_operator.revisions import Revision
from docparser_operator.situation import Decision
from docparser_operator.topology import (
    closed_door,
    differ,
    doors,
    entrance,
    gives_all_to,
    is_reachable,
    task_split,
)
from support.builders import a_parser, a_workload
from unit.operator.rollout_case import ago

PARSER = a_parser().built()
OWNER = PARSER.metadata
GATEWAYS = gateway_selector(OWNER)
TEMPLATE: Manifest = {
    "spec": {"containers": [{"image": "i", "env": [], "volumeMounts": []}], "volumes": []}
}
PLAIN = Revision("plain", {}, TEMPLATE)
SHARED = Revision("shared", {"queue": {}}, TEMPLATE)
QUEUED = Revision("queued", {"queue": {}, "topology": "Queue"}, TEMPLATE)
LATER = Revision("later", {"queue": {}, "topology": "Queue"}, TEMPLATE)
REVISIONS = {revision.hash: revision for revision in (PLAIN, SHARED, QUEUED, LATER)}


def decision(
    stable: str | None, target: str, serving: str | None, weight: int = 0, **rollout: Any
) -> Decision:
    progress = RolloutStatus(revision=target, started_at=ago(60), weight=weight, **rollout)
    sizes = {name: 1 for name in (stable, target) if name is not None}
    return Decision(stable, serving, sizes, (), progress)


def observed(*ready: str, gateways: int = 0) -> Observed:
    """Return what is observed when these revisions have a pod that is available."""
    workloads = {name: a_workload(name, 1, available=int(name in ready)) for name in REVISIONS}
    return Observed(workloads={n: workloads[n] for n in ready}, gateways=gateways)


ENTRANCES = {
    "a plain revision": (decision("plain", "plain", "plain"), observed("plain"), "plain"),
    "a queued one": (decision("queued", "queued", "queued"), observed(gateways=2), None),
    "a queued one without gateways": (decision("queued", "queued", "queued"), observed(), None),
    "on the way in": (decision("plain", "queued", "plain"), observed("plain", gateways=2), "plain"),
    "on the way in, in place": (decision("plain", "queued", None), observed("plain"), "plain"),
    "in place, a gateway is there": (
        decision("plain", "queued", None),
        observed("plain", gateways=1),
        None,
    ),
    "on the way out": (
        decision("queued", "shared", "queued"),
        observed("shared", gateways=2),
        None,
    ),
    "out, in place, before the pod is ready": (
        decision("queued", "shared", "shared"),
        observed(gateways=2),
        None,
    ),
    "out, and ready": (
        decision("queued", "shared", "shared"),
        observed("shared", gateways=2),
        "shared",
    ),
}


@pytest.mark.parametrize("name", ENTRANCES)
def test_where_requests_enter(name: str) -> None:
    made, seen, revision = ENTRANCES[name]
    wanted = GATEWAYS if revision is None else pod_selector(OWNER, revision)
    assert entrance(OWNER, made, REVISIONS, seen) == wanted


def test_without_a_queue_an_exchange_selects_all_pods() -> None:
    both = decision("plain", "old", None)
    revisions = {**REVISIONS, "old": Revision("old", {}, TEMPLATE)}
    assert entrance(OWNER, both, revisions, observed("plain")) == pod_selector(OWNER, None)


SPLITS: dict[str, tuple[Decision, dict[str, int]]] = {
    "at rest": (decision("queued", "queued", "queued"), {"queued": 100}),
    "the first": (decision(None, "queued", "queued"), {"queued": 100}),
    "no share yet": (decision("queued", "later", "queued"), {"queued": 100, "later": 0}),
    "a canary": (decision("queued", "later", "queued", 5), {"queued": 95, "later": 5}),
    "all, before it is noted": (decision("queued", "later", "later", 100), {"later": 100}),
    "given up": (decision("queued", "later", "queued", failed_at=ago(1)), {"queued": 100}),
    "given up, and serves still": (
        decision("queued", "later", "queued", 30, failed_at=ago(1)),
        {"queued": 70, "later": 30},
    ),
    "into the queue": (decision("plain", "queued", "plain"), {"queued": 100}),
    "into the queue, in place": (decision("plain", "queued", None, 40), {"queued": 40}),
    "out of the queue": (decision("queued", "shared", "queued"), {"queued": 100, "shared": 0}),
    "out, and served": (decision("shared", "shared", "shared"), {"shared": 100}),
    "the queue is left": (decision("shared", "plain", "shared"), {"shared": 100}),
    "no queue": (decision("plain", "plain", "plain"), {}),
}


@pytest.mark.parametrize("name", SPLITS)
def test_how_tasks_are_split(name: str) -> None:
    made, shares = SPLITS[name]
    found = [split_of(manifest) for manifest in task_split(PARSER, made, REVISIONS)]
    assert [split.tracks for split in found if split] == ([shares] if shares else [])


def test_gateways_are_told_how_long_workers_take_to_come() -> None:
    made = decision("queued", "queued", "queued")
    scaling = AutoscalingStatus(
        desired_replicas=0,
        reason=ScalingReason.IDLE,
        decided_at="2026-01-01T00:00:00Z",
        wake_up_seconds=61,
    )
    status = PARSER.status.model_copy(update={"autoscaling": scaling})
    (told,) = task_split(PARSER.model_copy(update={"status": status}), made, REVISIONS)
    (silent,) = task_split(PARSER, made, REVISIONS)
    assert json.loads(told["data"].pop("wake-up.json")) == {"wakeUpSeconds": 70}
    assert told == silent


ENTERED = (
    decision("plain", "queued", "plain"),
    decision("queued", "later", "queued", failed_at=ago(1)),
    decision("queued", "shared", "queued"),
)
NOT_ENTERED = (
    decision("plain", "plain", "plain"),
    decision("plain", "queued", "plain", failed_at=ago(1)),
    decision("shared", "shared", "shared"),
)


def test_gateways_are_there_as_long_as_somebody_enters_by_them() -> None:
    assert all(doors(PARSER, made, REVISIONS) for made in ENTERED)
    assert not any(doors(PARSER, made, REVISIONS) for made in NOT_ENTERED)


def test_only_a_first_queue_waits_for_its_gateways() -> None:
    assert is_reachable(PLAIN, QUEUED, observed())
    assert is_reachable(LATER, QUEUED, observed()), "or new ones could not replace broken ones"
    assert not is_reachable(QUEUED, PLAIN, observed())
    assert not is_reachable(QUEUED, None, observed())
    assert is_reachable(QUEUED, PLAIN, observed(gateways=1))
    assert (differ(QUEUED, PLAIN), differ(QUEUED, LATER), differ(QUEUED, None)) == (
        True,
        False,
        False,
    )


def test_a_closed_door_is_told() -> None:
    found = closed_door(QUEUED, observed())
    assert found is not None
    assert found.reason == Reason.INSUFFICIENT_REPLICAS
    assert closed_door(QUEUED, observed(gateways=1)) is None
    assert closed_door(PLAIN, observed()) is None


def test_a_promotion_that_was_not_noted_is_seen_by_the_split() -> None:
    (config_map,) = task_split(PARSER, decision("later", "later", "later"), REVISIONS)
    service = {"kind": "Service", "metadata": {"name": "reader"}, "spec": {"selector": GATEWAYS}}
    done = Observed(manifests=(config_map, service))
    assert gives_all_to("later", done, OWNER)
    assert not gives_all_to("queued", done, OWNER)
    plain = {**service, "spec": {"selector": {names.LABEL_DEPLOYMENT: "reader"}}}
    assert not gives_all_to("later", Observed(manifests=(config_map, plain)), OWNER)
    assert not gives_all_to("later", Observed(manifests=(service,)), OWNER)

"""The children on a real API server: made, repaired, left alone, and gone."""

import json

import pytest
from localcluster.controlplane import ControlPlane
from support.audit import Request, requests
from support.eventually import always, eventually
from support.kubectl import Kubectl, Manifest
from support.operator_process import OperatorProcess

from .conftest import a_parser, condition, serving_pods, wait_serving

CHILDREN = "controllerrevisions,deployments,services,serviceaccounts,poddisruptionbudgets"
MINE = "docparser.dev/deployment=reader"


@pytest.fixture
def reader(kubectl: Kubectl, operator: OperatorProcess) -> Manifest:
    """A DocParserDeployment `reader` that serves."""
    kubectl.apply(a_parser("reader"))
    return wait_serving(kubectl, "reader")


def test_children_are_owned_and_complete(kubectl: Kubectl, reader: Manifest) -> None:
    children = kubectl.list(CHILDREN, MINE)
    assert sorted(child["kind"] for child in children) == [
        "ControllerRevision",
        "Deployment",
        "PodDisruptionBudget",
        "Service",
        "ServiceAccount",
    ]
    owners = {child["metadata"]["ownerReferences"][0]["uid"] for child in children}
    assert owners == {reader["metadata"]["uid"]}
    assert reader["status"]["observedGeneration"] == reader["metadata"]["generation"]
    assert {c["type"] for c in reader["status"]["conditions"]} == {
        "Ready",
        "UpToDate",
        "Progressing",
        "Degraded",
        "NameConflict",
        "CapacityAvailable",
        "RolledBack",
        "RollbackReady",
    }
    kubectl.run("wait", "dpd/reader", "--for=condition=Ready", "--timeout=5s")
    assert not [p for p in serving_pods(kubectl) if "finalizers" in p["metadata"]]
    assert "finalizers" not in reader["metadata"]


DRIFT = {
    "a Service port": ("service", "reader", {"spec": {"ports": [{"port": 80, "targetPort": 1}]}}),
    "the Service selector": ("service", "reader", {"spec": {"selector": {"else": "where"}}}),
    "a size": ("deployment", "", {"spec": {"replicas": 5}}),
    "an image": (
        "deployment",
        "",
        {"spec": {"template": {"spec": {"containers": [{"name": "runtime", "image": "x:1"}]}}}},
    ),
    "a label": ("service", "reader", {"metadata": {"labels": {"docparser.dev/deployment": None}}}),
    "the owner": ("serviceaccount", "reader", {"metadata": {"ownerReferences": None}}),
    "a budget": ("poddisruptionbudget", "reader", {"spec": {"maxUnavailable": 9}}),
}


@pytest.mark.parametrize("what", DRIFT)
def test_drift_is_repaired_with_one_write(
    what: str, control_plane: ControlPlane, kubectl: Kubectl, reader: Manifest
) -> None:
    kind, name, change = DRIFT[what]
    name = name or f"reader-{reader['status']['currentRevision']}"
    before = settings(kubectl, kind, name)
    since = max(r.received for r in requests(control_plane.audit_log, kubectl.namespace))

    kind_of_patch = "strategic" if kind == "deployment" else "merge"
    kubectl.run("patch", kind, name, f"--type={kind_of_patch}", "-p", json.dumps(change))
    eventually(lambda: settings(kubectl, kind, name), lambda now: now == before, 20, "repaired")

    def corrections() -> list[Request]:
        # A 409 is a write that a precondition held back, since the object had just changed.
        seen = requests(control_plane.audit_log, kubectl.namespace, since)
        mine = [r for r in seen if r.agent == "docparser-operator" and r.writes and r.name == name]
        return [r for r in mine if r.resource.startswith(kind) and r.code < 400]

    eventually(corrections, bool, 5, "the correction is in the log")
    assert len(corrections()) == 1, "\n".join(map(str, corrections()))


def settings(kubectl: Kubectl, kind: str, name: str) -> Manifest:
    """What the operator set on an object."""
    found = kubectl.get(kind, name)
    assert found is not None
    metadata = found["metadata"]
    return {
        "spec": found.get("spec"),
        "labels": metadata.get("labels"),
        "owners": metadata.get("ownerReferences"),
    }


def test_what_others_add_to_the_pods_of_a_revision_goes(kubectl: Kubectl, reader: Manifest) -> None:
    name = f"reader-{reader['status']['currentRevision']}"
    before = settings(kubectl, "deployment", name)
    added = [{"name": "runtime", "env": [{"name": "LD_PRELOAD", "value": "/x.so"}]}]
    change = {"spec": {"template": {"spec": {"containers": added}}}}
    kubectl.run("patch", "deployment", name, "--type=strategic", "-p", json.dumps(change))
    eventually(lambda: settings(kubectl, "deployment", name), lambda now: now == before, 20, "gone")
    wait_serving(kubectl, "reader")


def test_orphans_are_adopted(kubectl: Kubectl, reader: Manifest) -> None:
    pods = {pod["metadata"]["uid"] for pod in serving_pods(kubectl)}
    kubectl.run("delete", "dpd", "reader", "--cascade=orphan")
    kubectl.apply(a_parser("reader"))
    again = wait_serving(kubectl, "reader", 60)
    owners = {
        child["metadata"]["ownerReferences"][0]["uid"] for child in kubectl.list(CHILDREN, MINE)
    }
    assert owners == {again["metadata"]["uid"]}
    assert {pod["metadata"]["uid"] for pod in serving_pods(kubectl)} == pods


def test_a_refused_revision_does_not_hold_up_the_one_that_serves(
    kubectl: Kubectl, reader: Manifest
) -> None:
    impossible = {"requests": {"memory": "2Gi"}, "limits": {"memory": "1Gi"}}
    kubectl.apply(a_parser("reader", resources=impossible))
    eventually(
        lambda: condition(kubectl, "reader", "Degraded"),
        lambda c: c.get("reason") == "InvalidSpec" and "memory limit of 1Gi" in c["message"],
        30,
        "the refusal is named",
    )
    kubectl.run("scale", "dpd/reader", "--replicas=2")
    kubectl.run("delete", "service", "reader")
    eventually(
        lambda: len(serving_pods(kubectl)),
        lambda count: count == 2,
        40,
        "scaled",
    )
    eventually(lambda: kubectl.get("service", "reader"), bool, 40, "the Service is back")
    assert condition(kubectl, "reader", "UpToDate")["status"] == "False"


def test_a_deleted_child_comes_back(kubectl: Kubectl, reader: Manifest) -> None:
    for kind in ("service", "poddisruptionbudget", "serviceaccount"):
        kubectl.run("delete", kind, "reader")
        eventually(lambda kind=kind: kubectl.get(kind, "reader"), bool, 20, f"{kind} is back")  # type: ignore[misc]


FOREIGN: dict[str, Manifest] = {
    "service": {"spec": {"ports": [{"port": 1234}], "selector": {"app": "other"}}},
    "serviceaccount": {},
    "poddisruptionbudget": {"spec": {"maxUnavailable": 3, "selector": {"matchLabels": {"a": "b"}}}},
}
API_VERSIONS = {"service": "v1", "serviceaccount": "v1", "poddisruptionbudget": "policy/v1"}
NAMES = {
    "service": "Service",
    "serviceaccount": "ServiceAccount",
    "poddisruptionbudget": "PodDisruptionBudget",
}


@pytest.mark.parametrize("kind", FOREIGN)
def test_a_foreign_object_of_the_same_name_is_left_alone(
    kind: str, kubectl: Kubectl, operator: OperatorProcess
) -> None:
    what = {"apiVersion": API_VERSIONS[kind], "kind": NAMES[kind], "metadata": {"name": "reader"}}
    kubectl.apply({**what, **FOREIGN[kind]})
    before = kubectl.get(kind, "reader")

    kubectl.apply(a_parser("reader"))
    eventually(
        lambda: condition(kubectl, "reader", "NameConflict"),
        lambda c: c.get("status") == "True" and f"{NAMES[kind]} reader" in c["message"],
        30,
        "the conflict is named",
    )
    always(lambda: kubectl.get(kind, "reader"), lambda now: now == before, 2, "untouched")

    kubectl.run("delete", kind, "reader")
    wait_serving(kubectl, "reader", 60)


def test_deletion_leaves_nothing(kubectl: Kubectl, reader: Manifest) -> None:
    kubectl.run("delete", "dpd", "reader")
    eventually(
        lambda: kubectl.list(f"{CHILDREN},pods,replicasets", MINE),
        lambda left: not left,
        60,
        "gone",
    )


def test_recreated_at_once_under_the_same_name(kubectl: Kubectl, reader: Manifest) -> None:
    kubectl.run("delete", "dpd", "reader", "--wait=false")
    kubectl.apply(a_parser("reader", replicas=2))
    again = wait_serving(kubectl, "reader", 90)
    assert again["metadata"]["uid"] != reader["metadata"]["uid"]
    owners = {
        child["metadata"]["ownerReferences"][0]["uid"] for child in kubectl.list(CHILDREN, MINE)
    }
    assert owners == {again["metadata"]["uid"]}


def test_a_status_edited_by_hand_is_corrected(kubectl: Kubectl, reader: Manifest) -> None:
    lie = {"status": {"summary": "all is well", "readyReplicas": 99}}
    patch = ("--subresource=status", "--type=merge", "-p", json.dumps(lie))
    kubectl.run("patch", "dpd", "reader", *patch)
    eventually(
        lambda: (kubectl.get("dpd", "reader") or {}).get("status", {}),
        lambda status: (
            status["summary"] == reader["status"]["summary"] and status["readyReplicas"] == 1
        ),
        20,
        "the truth",
    )


def test_a_quota_is_named(kubectl: Kubectl, operator: OperatorProcess) -> None:
    kubectl.run("create", "quota", "none", "--hard=pods=0")
    kubectl.apply(a_parser("reader"))
    eventually(
        lambda: condition(kubectl, "reader", "Degraded"),
        lambda c: c.get("reason") == "QuotaExceeded" and "exceeded quota: none" in c["message"],
        60,
        "the quota is named",
    )
    kubectl.run("delete", "quota", "none")
    wait_serving(kubectl, "reader", 90)


def test_a_denied_pod_is_named(kubectl: Kubectl, operator: OperatorProcess) -> None:
    # A LimitRange is an admission plugin like any other.
    limits = {"limits": [{"type": "Container", "max": {"memory": "10Mi"}}]}
    what = {"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "tiny"}}
    kubectl.apply({**what, "spec": limits})
    kubectl.apply(a_parser("reader", resources={"limits": {"memory": "1Gi"}}))
    eventually(
        lambda: condition(kubectl, "reader", "Degraded"),
        lambda c: (
            c.get("status") == "True" and "maximum memory usage per Container" in c["message"]
        ),
        60,
        "the denial is named",
    )

"""Gateways and workers on a real API server: what it refuses, and a move into a queue and back."""

import json

import pytest
from docparser_api import names
from support.eventually import eventually
from support.kubectl import Kubectl, KubectlError, Manifest
from support.operator_process import OperatorProcess

from .conftest import a_parser, condition, is_ready, serving_pods, wait_serving

QUEUE = {
    "databaseUrlSecretRef": {"name": "database", "key": "url"},
    "objectStore": {"url": "s3://documents/reader"},
}
QUEUED = {"topology": "Queue", "queue": QUEUE}
CANARY = {"strategy": "Canary", "steps": [{"setWeight": 5}, {"pause": {}}]}
BLUE_GREEN = {"strategy": "BlueGreen"}
GOLDEN = {"analysis": {"goldenDocuments": {"configMapRef": {"name": "golden"}}}}

REFUSED: dict[str, tuple[Manifest, str]] = {
    "no queue": ({"topology": "Queue"}, "name the database and the object store"),
    "gateways of none": ({"gateways": {"replicas": 3}}, "gateways belong to topology Queue"),
    "a route": (
        QUEUED | {"service": {"gateway": {"httpRoute": "front"}}},
        "remove service.gateway",
    ),
    "blue and green": (QUEUED | {"rollout": BLUE_GREEN}, "use Canary or Surge"),
    "golden documents": (QUEUED | {"rollout": GOLDEN}, "goldenDocuments"),
    "too short a farewell": (
        QUEUED | {"terminationGracePeriodSeconds": 44},
        "at least runtime.lameDuckSeconds + 40",
    ),
    "a directory as store": (
        QUEUED | {"queue": QUEUE | {"objectStore": {"url": "file:///data"}}},
        "objectStore.url",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_does_not_belong_together_is_refused(what: str, kubectl: Kubectl) -> None:
    spec, words = REFUSED[what]
    with pytest.raises(KubectlError) as refusal:
        kubectl.apply(a_parser("reader", **spec))
    assert words in str(refusal.value)


def test_what_a_queue_allows_is_taken(kubectl: Kubectl) -> None:
    most = {"strategy": "Canary", "steps": [{"setWeight": 75}]}
    shortest = {"terminationGracePeriodSeconds": 45}
    kubectl.apply(a_parser("reader", **QUEUED, **shortest, rollout=most, gateways={"replicas": 1}))
    kubectl.apply(a_parser("direct", queue=QUEUE))


def test_who_leaves_the_queue_keeps_its_tasks(kubectl: Kubectl) -> None:
    kubectl.apply(a_parser("reader", **QUEUED))
    with pytest.raises(KubectlError) as refusal:
        kubectl.run(
            "patch", "dpd", "reader", "--type=merge", "-p", _merge(topology=None, queue=None)
        )
    assert "keep queue when you leave topology Queue" in str(refusal.value)
    kubectl.run("patch", "dpd", "reader", "--type=merge", "-p", _merge(topology="Direct"))
    kubectl.run("patch", "dpd", "reader", "--type=merge", "-p", _merge(queue=None))


def test_a_move_into_a_queue_and_back(kubectl: Kubectl, operator: OperatorProcess) -> None:
    kubectl.apply(a_parser("reader", revisionHistoryLimit=0))
    wait_serving(kubectl, "reader")
    kubectl.apply(a_parser("reader", **QUEUED, revisionHistoryLimit=0))
    target = eventually(
        lambda: _revisions(kubectl), lambda found: len(found) == 2, 20, "both have pods"
    )
    assert "gateway" not in _entrance(kubectl).values(), "old pods serve until gateways are ready"
    queued = _wait_queued(kubectl)
    assert _entrance(kubectl) == {
        names.LABEL_HELPER_OF: "reader",
        names.LABEL_PURPOSE: "gateway",
    }
    current = queued["status"]["currentRevision"]
    assert current in target
    assert _split(kubectl) == {current: 100}
    gateways = kubectl.get("deployment", "reader-gateway")
    assert gateways is not None
    assert gateways["status"]["availableReplicas"] == 2
    kubectl.run("wait", "pdb/reader-gateway", "--for=jsonpath={.spec.maxUnavailable}=1")

    kubectl.apply(a_parser("reader", queue=QUEUE, revisionHistoryLimit=0))
    wait_serving(kubectl, "reader")
    eventually(
        lambda: kubectl.get("deployment", "reader-gateway"), lambda d: d is None, 20, "no gateway"
    )
    assert kubectl.get("pdb", "reader-gateway") is None
    (last,) = _split(kubectl)
    assert _entrance(kubectl)[names.LABEL_REVISION] == last


def test_a_move_that_never_came_to_its_end_leaves_nothing(
    kubectl: Kubectl, operator: OperatorProcess
) -> None:
    kubectl.apply(a_parser("reader", revisionHistoryLimit=0))
    served = wait_serving(kubectl, "reader")["status"]["currentRevision"]
    kubectl.apply(a_parser("reader", **QUEUED, revisionHistoryLimit=0))
    made = (
        ("configmap", "reader-split"),
        ("deployment", "reader-gateway"),
        ("pdb", "reader-gateway"),
    )
    for kind, name in made:
        eventually(lambda kind=kind, name=name: kubectl.get(kind, name), bool, 20, name)  # type: ignore[misc]
    assert _entrance(kubectl)[names.LABEL_REVISION] == served
    for change in (_merge(topology="Direct"), _merge(queue=None)):
        kubectl.run("patch", "dpd", "reader", "--type=merge", "-p", change)
    assert wait_serving(kubectl, "reader")["status"]["currentRevision"] == served
    for kind, name in made:
        eventually(
            lambda kind=kind, name=name: kubectl.get(kind, name),  # type: ignore[misc]
            lambda left: left is None,
            20,
            f"{name} is gone",
        )


def test_a_canary_gets_its_share_by_the_split(kubectl: Kubectl, operator: OperatorProcess) -> None:
    kubectl.apply(a_parser("reader", **QUEUED, rollout=CANARY))
    first = _wait_queued(kubectl)["status"]["currentRevision"]
    kubectl.apply(a_parser("reader", **QUEUED, rollout=CANARY, runtime={"maxPages": 7}))

    def shares() -> dict[str, int]:
        _make_ready(kubectl)
        return _split(kubectl)

    found = eventually(shares, lambda split: 5 in split.values(), 40, "the canary has its share")
    assert found[first] == 95
    (canary,) = set(found) - {first}
    kubectl.run("annotate", "dpd", "reader", f"{names.ANNOTATION_ABORT}={canary}")
    eventually(lambda: _split(kubectl), lambda split: split == {first: 100}, 20, "given up")


def test_without_a_gateway_nothing_is_ready_and_a_deleted_split_comes_back(
    kubectl: Kubectl, operator: OperatorProcess
) -> None:
    kubectl.apply(a_parser("reader", **QUEUED))
    _wait_queued(kubectl)
    kubectl.run("delete", "configmap", "reader-split")
    eventually(lambda: kubectl.get("configmap", "reader-split"), bool, 20, "it is back")
    kubectl.run("delete", "pods", "-l", f"{names.LABEL_PURPOSE}=gateway", "--grace-period=0")
    eventually(
        lambda: condition(kubectl, "reader", "Ready"),
        lambda c: c.get("status") == "False" and "no gateway is available" in c["message"],
        30,
        "nobody gets in",
    )
    _wait_queued(kubectl)


def _merge(**spec: object) -> str:
    return json.dumps({"spec": spec})


def _revisions(kubectl: Kubectl) -> set[str]:
    return {pod["metadata"]["labels"][names.LABEL_REVISION] for pod in serving_pods(kubectl)}


def _entrance(kubectl: Kubectl) -> dict[str, str]:
    service = kubectl.get("service", "reader")
    assert service is not None
    return dict(service["spec"]["selector"])


def _split(kubectl: Kubectl) -> dict[str, int]:
    found = kubectl.get("configmap", "reader-split")
    return dict(json.loads(found["data"]["split.json"])["tracks"]) if found else {}


def _make_ready(kubectl: Kubectl) -> None:
    """Do the kubelet's part for workers and gateways."""
    for pod in kubectl.list("pods", f"{names.LABEL_PURPOSE}=gateway") + serving_pods(kubectl):
        if not is_ready(pod) and "deletionTimestamp" not in pod["metadata"]:
            ready = {
                "type": "Ready",
                "status": "True",
                "lastTransitionTime": "2026-01-01T00:00:00Z",
            }
            status = json.dumps({"status": {"phase": "Running", "conditions": [ready]}})
            name = pod["metadata"]["name"]
            kubectl.run("patch", "pod", name, "--subresource=status", "--type=merge", "-p", status)


def _wait_queued(kubectl: Kubectl) -> Manifest:
    def done() -> bool:
        _make_ready(kubectl)
        found = (condition(kubectl, "reader", kind) for kind in ("Progressing", "Ready"))
        progressing, ready = found
        return progressing.get("reason") == "RolloutComplete" and ready.get("status") == "True"

    eventually(done, bool, 60, "it serves behind gateways")
    found = kubectl.get("dpd", "reader")
    assert found is not None
    return found

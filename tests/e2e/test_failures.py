import time

import pytest
from support.e2e import Client, Deployment
from support.eventually import eventually
from support.kubectl import Kubectl, Manifest

from .conftest import fake_spec

SECONDS = 60
"""Time within which a cause must stand in the condition."""

CAUSES = {
    "an image that does not exist": (
        {"image": "registry.invalid/docparser-runtime:9.9.9"},
        "ImagePullFailed",
        "registry.invalid",
    ),
    "a missing Secret": (
        {"auth": {"tokenSecretRef": {"name": "nowhere", "key": "token"}}},
        "ContainerConfigInvalid",
        'secret "nowhere" not found',
    ),
    "no node to run on": (
        {"scheduling": {"nodeSelector": {"no": "such-node"}}},
        "Unschedulable",
        "node affinity/selector",
    ),
    "no GPU left": (
        {"resources": {"gpu": {"count": 64, "resourceName": "example.com/none"}}},
        "Unschedulable",
        "Insufficient example.com/none",
    ),
    "too little memory to start": (
        {"resources": {"requests": {"memory": "8Mi"}, "limits": {"memory": "8Mi"}}},
        ("OutOfMemory", "ContainerConfigInvalid", "CrashLoop"),
        "",
    ),
    "a spec that passes the schema but not the API server": (
        {"resources": {"requests": {"memory": "96Mi"}, "limits": {"memory": "8Mi"}}},
        "InvalidSpec",
        "must be less than or equal to memory limit",
    ),
    "a crash loop": (
        {"env": [{"name": "PYTHONHOME", "value": "/nowhere"}]},
        "CrashLoop",
        "exit code 1",
    ),
}


@pytest.mark.parametrize("cause", CAUSES)
def test_cause_is_named_and_the_old_pods_serve(
    cause: str, fake: Deployment, client: Client
) -> None:
    change, reasons, words = CAUSES[cause]
    first = fake.status()["currentRevision"]
    pods = {pod["metadata"]["uid"] for pod in fake.pods()}
    started = time.monotonic()

    fake.patch(change)  # type: ignore[arg-type]
    degraded = eventually(
        lambda: fake.condition("Degraded"),
        lambda c: c.get("status") == "True" and c["reason"] in reasons and words in c["message"],
        SECONDS,
        f"{reasons} with the words {words!r}",
    )
    print(f"{cause}: {time.monotonic() - started:.1f} s: {degraded['message']}")

    status = fake.status()
    assert status["currentRevision"] == first
    assert fake.condition("Ready")["status"] == "True"
    assert pods <= {pod["metadata"]["uid"] for pod in fake.pods()}
    assert client.traffic(fake.url("/v1/document/parse"), seconds=3).result()["failures"] == 0


def test_a_revision_that_makes_no_progress_is_given_up(kubectl: Kubectl) -> None:
    deployment = Deployment(kubectl, "fake")
    quick: Manifest = {
        "probes": {"startupTimeoutSeconds": 10, "readinessPeriodSeconds": 1},
        "rollout": {"progressDeadlineSeconds": 30},
    }
    deployment.apply(fake_spec(replicas=1, **quick))
    deployment.wait_ready()
    first = deployment.status()["currentRevision"]

    deployment.patch({"image": "registry.invalid/docparser-runtime:9.9.9"})
    deployment.wait_condition("Progressing", "False", "RolloutFailed", 90)
    failed = deployment.condition("Degraded")
    assert failed["reason"] == "RolloutFailed"
    assert "ImagePullFailed" in failed["message"]
    eventually(deployment.pods, lambda pods: len(pods) == 1, 60, "only the stable pod is left")
    assert deployment.status()["currentRevision"] == first

    deployment.patch({"image": "docparser.dev/runtime:dev"})
    deployment.wait_ready()
    assert deployment.status()["currentRevision"] == first


def test_deletion_in_mid_rollout_leaves_nothing(fake: Deployment, kubectl: Kubectl) -> None:
    fake.patch({"image": "registry.invalid/docparser-runtime:9.9.9"})
    fake.wait_condition("Degraded", "True", "ImagePullFailed")
    kubectl.run("delete", "dpd", "fake")
    kinds = "deployments,replicasets,services,serviceaccounts,poddisruptionbudgets,pods"
    kinds += ",controllerrevisions"
    selector = "docparser.dev/deployment=fake"
    eventually(lambda: kubectl.list(kinds, selector), lambda left: not left, 90, "all gone")

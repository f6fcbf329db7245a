import json
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from docparser_api import names
from localcluster.controlplane import ControlPlane
from support.bare_plane import in_new_namespace, with_crd
from support.eventually import eventually
from support.kubectl import Kubectl, Manifest
from support.operator_process import OperatorProcess


@pytest.fixture(scope="session")
def control_plane(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    """etcd, kube-apiserver and kube-controller-manager, with the CRD installed."""
    with ControlPlane(tmp_path_factory.mktemp("control-plane"), controllers=True) as running:
        yield running


@pytest.fixture(scope="session")
def cluster(control_plane: ControlPlane) -> Kubectl:
    """kubectl for that control plane."""
    return with_crd(control_plane)


@pytest.fixture
def kubectl(cluster: Kubectl) -> Iterator[Kubectl]:
    """kubectl in a fresh namespace."""
    namespace = f"it-{uuid.uuid4().hex[:8]}"
    yield in_new_namespace(cluster, namespace)
    cluster.run("delete", "namespace", namespace, "--wait=false")


@pytest.fixture
def operator(kubectl: Kubectl, tmp_path: Path) -> Iterator[OperatorProcess]:
    """A running operator that serves the namespace of the test."""
    process = OperatorProcess(kubectl, tmp_path / "operator.log").start()
    try:
        yield process.wait_ready()
    finally:
        process.kill()
        print(process.log.read_text()[-5000:])


def a_parser(name: str, **spec: object) -> Manifest:
    """A DocParserDeployment for `kubectl apply`."""
    return {
        "apiVersion": "docparser.dev/v1alpha1",
        "kind": "DocParserDeployment",
        "metadata": {"name": name},
        "spec": {"image": "example.org/runtime:1", "model": {"engine": "fake"}, **spec},
    }


def make_pods_ready(kubectl: Kubectl) -> None:
    """Do the kubelet's part, which this cluster lacks: say that every new pod is ready."""
    for pod in serving_pods(kubectl):
        if not is_ready(pod):
            ready = {
                "type": "Ready",
                "status": "True",
                "lastTransitionTime": "2026-01-01T00:00:00Z",
            }
            status = {"status": {"phase": "Running", "conditions": [ready]}}
            name = pod["metadata"]["name"]
            patch = ("--subresource=status", "--type=merge", "-p", json.dumps(status))
            kubectl.run("patch", "pod", name, *patch)


def is_ready(pod: Manifest) -> bool:
    """Whether a pod says that it is ready."""
    conditions = pod.get("status", {}).get("conditions", [])
    return any(c["type"] == "Ready" and c["status"] == "True" for c in conditions)


def condition(kubectl: Kubectl, name: str, kind: str) -> Manifest:
    """A condition of the current generation; empty where there is none yet."""
    found = kubectl.get("dpd", name)
    assert found is not None
    for one in found.get("status", {}).get("conditions", []):
        if one["type"] == kind and one["observedGeneration"] == found["metadata"]["generation"]:
            result: Manifest = one
            return result
    return {}


def wait_serving(kubectl: Kubectl, name: str, seconds: float = 40) -> Manifest:
    """Wait until spec is rolled out, doing the kubelet's part; return the object."""

    def done() -> bool:
        make_pods_ready(kubectl)
        progressing, ready = (condition(kubectl, name, kind) for kind in ("Progressing", "Ready"))
        return progressing.get("reason") == "RolloutComplete" and ready.get("status") == "True"

    eventually(done, bool, seconds, f"{name} serves what spec asks for")
    found = kubectl.get("dpd", name)
    assert found is not None
    return found


def serving_pods(kubectl: Kubectl) -> list[Manifest]:
    """Return the pods of all revisions, without those of Jobs."""
    return kubectl.list("pods", names.LABEL_DEPLOYMENT)

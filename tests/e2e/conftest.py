import contextlib
import json
import os
import subprocess
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from support.e2e import Client, Deployment
from support.installation import SYSTEM, install
from support.kubectl import Kubectl, Manifest, local_kubectl

REPOSITORY = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def cluster() -> Kubectl:
    """The cluster of `make cluster`, with the operator of this checkout installed."""
    kubectl = local_kubectl()
    assert kubectl.kubeconfig.exists(), "no cluster; run `make test-e2e`, which starts one"
    install(kubectl)
    return kubectl


@pytest.fixture
def kubectl(cluster: Kubectl, request: pytest.FixtureRequest) -> Iterator[Kubectl]:
    """kubectl in a fresh namespace that enforces restricted pods; gone after the test."""
    with a_namespace(cluster) as inside:
        yield inside
        if getattr(request.node, "failed", False):
            print(state(inside))


@contextlib.contextmanager
def a_namespace(cluster: Kubectl) -> Iterator[Kubectl]:
    """A fresh namespace, for the time of the block."""
    namespace = f"e2e-{uuid.uuid4().hex[:8]}"
    labels = {"pod-security.kubernetes.io/enforce": "restricted"}
    cluster.apply(
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace, "labels": labels}}
    )
    try:
        yield cluster.within(namespace)
    finally:
        cluster.run("delete", "namespace", namespace, "--wait=false")


@pytest.fixture
def client(kubectl: Kubectl) -> Client:
    """A pod that sends requests to Services by their names."""
    return Client.start(kubectl)


@pytest.fixture
def fake_gpus(cluster: Kubectl) -> Iterator[int]:
    """Two GPUs that the scheduler believes in."""
    command = [sys.executable, "-m", "localcluster", "fake-gpu"]
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY / "tests")}
    subprocess.run([*command, "2"], check=True, env=environment, cwd=REPOSITORY)
    yield 2
    subprocess.run([*command, "0"], check=True, env=environment, cwd=REPOSITORY)


@pytest.fixture
def fake(kubectl: Kubectl) -> Deployment:
    """A Ready DocParserDeployment named `fake` with two quick pods of the engine `fake`."""
    deployment = Deployment(kubectl, "fake")
    deployment.apply(fake_spec())
    deployment.wait_ready()
    return deployment


def fake_spec(**changes: Any) -> Manifest:
    """The spec of a deployment that starts and stops within seconds."""
    return {
        "image": "docparser.dev/runtime:dev",
        "replicas": 2,
        "model": {"engine": "fake", "name": "one"},
        "runtime": {
            "lameDuckSeconds": 3,
            "queueTimeoutSeconds": 10,
            "requestTimeoutSeconds": 20,
        },
        "resources": {"requests": {"cpu": "20m", "memory": "96Mi"}},
        "probes": {"readinessPeriodSeconds": 1},
        **changes,
    }


@pytest.fixture
def examples() -> dict[str, Manifest]:
    """The objects of `examples/*.yaml`, by file name."""
    files = sorted((REPOSITORY / "examples").glob("*.yaml"))
    return {file.name: yaml.safe_load(file.read_text()) for file in files}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run last what looks back on all other tests."""
    items.sort(key=lambda item: item.get_closest_marker("runs_last") is not None)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    report = yield
    if report.when == "call" and report.failed:  # type: ignore[attr-defined]
        item.failed = True  # type: ignore[attr-defined]
    return report


def state(kubectl: Kubectl) -> str:
    """What a reader needs to understand a failure."""
    parts = [
        kubectl.run("get", "dpd,deployments,pods,services,controllerrevisions", "-o", "wide"),
        json.dumps([m.get("status") for m in kubectl.list("dpd")], indent=1),
        kubectl.run("get", "events", "--sort-by=.lastTimestamp"),
        kubectl.within(SYSTEM).run(
            "logs", "-l", "app.kubernetes.io/name=docparser-operator", "--tail=30"
        ),
    ]
    return "\n".join(parts)

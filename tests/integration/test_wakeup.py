"""A real gateway wakes the autoscaler of workers that are all gone, on a real API server."""

import asyncio
import json
import time
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from docparser_api import names
from support.eventually import eventually
from support.kubectl import Kubectl
from support.operator_process import OperatorProcess
from support.sample_document import prose_pdf

from .conftest import a_parser, condition
from .runtime.processes import Program, environment, serving

ADDRESS = "127.0.0.78"
PROMISED_SECONDS = 2.5
"""What the operator takes from a document to the size of the Deployment is far less; without the
gateway's word it is up to 15 s with the lease below."""
LEASE_SECONDS = 60
SLEEPER = {
    "topology": "Queue",
    "replicas": 0,
    "queue": {
        "databaseUrlSecretRef": {"name": "database", "key": "url"},
        "objectStore": {"url": "s3://documents/reader"},
    },
    "gateways": {"replicas": 1},
    "autoscaling": {"minReplicas": 0, "maxReplicas": 2, "pagesPerMinute": 60, "idleSeconds": 3600},
}


@pytest.fixture
async def gateway(tmp_path: Path) -> AsyncIterator[Program]:
    """Yield a gateway with a queue of its own."""
    environ = environment(tasks={"leaseSeconds": LEASE_SECONDS})
    environ[names.ENV_DATA] = str(tmp_path / "data")
    async with serving(environ, role="gateway", host=ADDRESS, port=names.PORT) as program:
        yield program


def workers(kubectl: Kubectl) -> int:
    """Return how many workers the Deployments ask for."""
    found = kubectl.list("deployments")
    sizes = {one["metadata"]["name"]: one["spec"]["replicas"] for one in found}
    return sum(size for name, size in sizes.items() if name != "reader-gateway")


def ready_at(kubectl: Kubectl, address: str) -> bool:
    """Do the kubelet's part for the gateway's pod: it is ready, and has this address."""
    pods = kubectl.list("pods", f"{names.LABEL_PURPOSE}=gateway")
    for pod in pods:
        ready = {"type": "Ready", "status": "True", "lastTransitionTime": "2026-01-01T00:00:00Z"}
        status = {"phase": "Running", "conditions": [ready], "podIP": address}
        patch = json.dumps({"status": status | {"podIPs": [{"ip": address}]}})
        name = pod["metadata"]["name"]
        kubectl.run("patch", "pod", name, "--subresource=status", "--type=merge", "-p", patch)
    return bool(pods)


async def test_a_document_wakes_workers_at_once(
    kubectl: Kubectl, operator: OperatorProcess, gateway: Program
) -> None:
    kubectl.apply(a_parser("reader", **SLEEPER))
    await asyncio.to_thread(sleeps, kubectl)
    async with httpx.AsyncClient(base_url=gateway.url) as client:
        answer = await client.post(names.PATH_TASKS, files={"file": ("a.pdf", prose_pdf(3))})
    assert answer.status_code == 202
    began = time.monotonic()
    await asyncio.to_thread(
        eventually, lambda: workers(kubectl), lambda now: now == 1, 20, "a worker is asked for"
    )
    took = time.monotonic() - began
    print(f"from the document to the Deployment: {took:.2f} s")
    assert took < PROMISED_SECONDS


def sleeps(kubectl: Kubectl) -> None:
    """Return once the operator measures the gateway and wants no worker."""
    eventually(lambda: ready_at(kubectl, ADDRESS), bool, 20, "there is a gateway")
    eventually(
        lambda: condition(kubectl, "reader", "ScalingActive"),
        lambda now: now.get("status") == "True",
        30,
        "the demand is known",
    )
    assert workers(kubectl) == 0

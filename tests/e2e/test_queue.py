"""Topology Queue under a real kubelet, with a PostgreSQL and a bucket: nothing is lost."""

import itertools
import json
import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest
from support.e2e import Client, Deployment
from support.eventually import eventually
from support.kubectl import Kubectl, KubectlError, Manifest

from .queue_parts import QueueParts, queue_parts
from .sleepers import Sleeper, burst, healed, percentile, replicas, sizes_of, wait_asleep

QUICK = Sleeper(
    page_seconds=0.5, load_seconds=2, places=4, most=3, target_wait_seconds=5, idle_seconds=5
)
SEED = 7
WAYS = ("evict", "delete", "kill", "delete", "delete")
"""How workers leave. An eviction is refused while others are away; and a document that was at hand
in too many workers when they were killed is held to be poison, so that few are."""


@pytest.fixture
def parts(kubectl: Kubectl) -> QueueParts:
    return queue_parts(kubectl)


@pytest.fixture
def reader(kubectl: Kubectl, parts: QueueParts) -> Deployment:
    """A deployment without workers, whose gateway is there."""
    deployment = Deployment(kubectl, "reader")
    deployment.apply(QUICK.spec(parts))
    kubectl.run("wait", "dpd/reader", "--for=jsonpath={.status.autoscaling}", "--timeout=60s")
    deployment.wait_condition("ScalingActive", "True", seconds=90)
    return deployment


def test_a_burst_wakes_workers_and_they_go_again_whatever_git_applies(
    reader: Deployment, parts: QueueParts, client: Client
) -> None:
    assert replicas(reader) == 0
    with healed(reader, QUICK.spec(parts)) as applied, sizes_of(reader) as sizes:
        found = burst(client, reader, documents=40, pages=5)
        wait_asleep(reader, 120)
    assert len(applied) > found["seconds"] / 5, "Git applied all the time"
    print(json.dumps({**found, "waits": None, "p99": percentile(found["waits"], 99)}))
    print(sizes.seen)
    assert (found["documents"], found["states"], found["late"]) == (40, {"done": 40}, [])
    assert max(size for _, size in sizes.seen) == QUICK.most
    assert sizes.turns == 1, f"it grows, then it shrinks, and nothing else: {sizes.seen}"
    # The next one finds out how long a worker takes.
    assert reader.status()["autoscaling"]["wakeUpSeconds"] > QUICK.load_seconds


def test_a_canary_of_five_percent_gets_five_percent(
    kubectl: Kubectl, parts: QueueParts, client: Client
) -> None:
    spec = QUICK.spec(parts) | {"replicas": 1, "autoscaling": None}
    spec["runtime"] = {"lameDuckSeconds": 1, "maxConcurrency": 8}
    spec["rollout"] = {"strategy": "Canary", "steps": [{"setWeight": 5}, {"pause": {}}]}
    deployment = Deployment(kubectl, "reader")
    deployment.apply(spec)
    deployment.wait_ready()
    deployment.patch({"model": {"engine": "fake", "name": "two"}})
    deployment.wait_condition("Progressing", "True", "Paused", seconds=90)
    gateway = kubectl.list("pods", "docparser.dev/purpose=gateway")[0]["status"]["podIP"]
    eventually(
        lambda: client.get(f"http://{gateway}:8080/metrics").splitlines(),
        lambda lines: any(
            one.startswith("docparser_split_weight") and one.endswith(" 5.0") for one in lines
        ),
        120,
        "the gateway knows the canary's share",
    )
    found = burst(client, deployment, documents=1000, pages=1)
    assert (found["documents"], found["states"]) == (1000, {"done": 1000})
    print(found["models"])
    assert 40 <= found["models"]["two"] <= 60


def test_workers_that_leave_again_and_again_lose_nothing(
    reader: Deployment, client: Client
) -> None:
    with workers_that_leave(reader, every_seconds=1.5) as left:
        found = burst(client, reader, documents=60, pages=8)
    print(json.dumps({**found, "waits": None, "left": left}))
    assert (found["documents"], found["states"], found["late"]) == (60, {"done": 60}, [])
    assert set(left) == set(WAYS), "each way was gone"


@contextmanager
def workers_that_leave(reader: Deployment, every_seconds: float) -> Iterator[list[str]]:
    """Let a worker leave again and again, and yield the ways that were gone."""
    left, ends, chance = list[str](), threading.Event(), random.Random(SEED)  # noqa: S311

    def go_on() -> None:
        ways = itertools.cycle(WAYS)
        while not ends.wait(every_seconds):
            pods = [pod["metadata"]["name"] for pod in reader.pods() if _works(pod)]
            if len(pods) == QUICK.most or (left and pods):
                way = next(ways)
                with suppress(KubectlError):  # it has gone meanwhile, or the budget forbids it
                    _let_go(reader.kubectl, chance.choice(pods), way)
                    left.append(way)

    thread = threading.Thread(target=go_on, daemon=True)
    thread.start()
    try:
        yield left
    finally:
        ends.set()
        thread.join()


def _works(pod: Manifest) -> bool:
    conditions = {c["type"]: c["status"] for c in pod["status"].get("conditions", [])}
    return conditions.get("Ready") == "True" and "deletionTimestamp" not in pod["metadata"]


def _let_go(kubectl: Kubectl, pod: str, way: str) -> None:
    if way == "delete":
        kubectl.run("delete", "pod", pod, "--wait=false")
    elif way == "kill":
        kubectl.run("delete", "pod", pod, "--grace-period=0", "--force", "--wait=false")
    else:
        where = f"/api/v1/namespaces/{kubectl.namespace}/pods/{pod}/eviction"
        what = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": pod}}
        kubectl.run("create", "--raw", where, "-f", "-", stdin=json.dumps(what))

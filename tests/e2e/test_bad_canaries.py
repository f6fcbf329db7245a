"""A serving revision and one bad canary after the other, under constant requests."""

import base64
import contextlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from support.e2e import Client, Deployment, Traffic
from support.eventually import eventually
from support.kubectl import Kubectl, Manifest

from .conftest import a_namespace, state
from .rollouts import PARSE, Watched, canary, canary_spec, watched
from .traffic import PNG

TEXT = "The invoice of May is due."
PAGE_MILLISECONDS = 300
SLOW_MILLISECONDS = 1500
"""Of a serving revision whose noise on a busy machine does not hide what is three times as slow."""
REPLICAS, MAX_UNAVAILABLE = 2, 1
STEPS: list[Manifest] = [{"setWeight": 50}, {"analysis": {"durationSeconds": 600}}]
LAME_DUCK_SECONDS = 3
STOP_SECONDS = LAME_DUCK_SECONDS + 1.0
"""How long after weight 0 a bad pod may still have clients: those that keep their connection to it
until it closes, and what they sent last."""


@dataclass(frozen=True)
class Bad:
    """A canary that must not be promoted.

    Attributes:
        spec: what makes it bad.
        failure: what must stand in status.rollout.failure.
        runtime: the same within spec.runtime.fake.
        analysis: changes of spec.rollout.analysis.
        fails_requests: whether clients see failures until the abort.
        first_bad: when the first bad sample was seen: from what was watched and from the traffic.
    """

    failure: str
    first_bad: "Callable[[Watched, Manifest, str], float]"
    spec: Manifest = field(default_factory=dict)
    fake: Manifest = field(default_factory=dict)
    analysis: Manifest = field(default_factory=dict)
    fails_requests: bool = False


def first_end(seen: Watched, counts: Manifest, name: str) -> float:
    """When a container of the canary first ended."""
    found = seen.pods.first(_has_ended)
    assert found is not None, "no container ended"
    return found.time


def first_pod(seen: Watched, counts: Manifest, name: str) -> float:
    """When the canary first had a pod, which did not get ready."""
    revision = seen.deployment.status()["rollout"]["revision"]
    found = seen.pods.first(lambda pod: _revision(pod) == revision)
    assert found is not None, "no pod of the canary"
    return found.time


def first_failure(seen: Watched, counts: Manifest, name: str) -> float:
    """When the first request failed."""
    return float(counts["failed_at"][0])


def first_answer(seen: Watched, counts: Manifest, name: str) -> float:
    """When the canary first answered."""
    return float(counts["first"][name])


BAD = {
    "crash-at-start": Bad(
        "TooManyRestarts: restarts",
        first_end,
        spec={"env": [{"name": "PYTHONHOME", "value": "/nowhere"}]},
        analysis={"pods": {"maxRestarts": 0}},
    ),
    "crash-in-service": Bad(
        "TooManyRestarts: restarts",
        first_end,
        fake={"crashAfterPages": 5},
        analysis={"pods": {"maxRestarts": 0}},
        fails_requests=True,
    ),
    "never-ready": Bad("", first_pod, fake={"loadMilliseconds": 600_000}),
    "errors": Bad(
        "AnalysisFailed: errorRate", first_failure, fake={"failPercent": 20}, fails_requests=True
    ),
    "wrong-text": Bad(
        "AnalysisFailed: golden/",
        first_answer,
        fake={"text": "The invoice of June is paid."},
        analysis={"goldenDocuments": {"configMapRef": {"name": "golden"}}},
    ),
    "loops": Bad("AnalysisFailed: loopRate", first_answer, fake={"repeatPercent": 40}),
    "out-of-memory": Bad(
        "TooManyRestarts: outOfMemoryKills",
        first_end,
        spec={"resources": {"requests": {"cpu": "20m"}, "limits": {"memory": "384Mi"}}},
        fake={"leakBytesPerPage": 64 * 1024 * 1024},
        fails_requests=True,
    ),
}

SLOW = Bad("latencyP99Seconds", first_answer, fake={"pageMilliseconds": 3 * SLOW_MILLISECONDS})


@pytest.fixture(scope="module")
def namespace(cluster: Kubectl) -> Iterator[Kubectl]:
    """A namespace with golden documents, for all tests of this file."""
    with a_namespace(cluster) as kubectl:
        files = {"binaryData": {"plain_text__page.png": PNG}, "data": {"plain_text__page.md": TEXT}}
        assert base64.b64decode(PNG).startswith(b"\x89PNG")
        kubectl.apply(
            {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "golden"}, **files}
        )
        yield kubectl


@pytest.fixture(scope="module")
def sender(namespace: Kubectl) -> Client:
    """A pod that sends requests."""
    return Client.start(namespace)


@pytest.fixture(scope="module")
def stable(namespace: Kubectl) -> Deployment:
    """A revision that serves."""
    deployment = Deployment(namespace, "fake")
    deployment.apply(spec_of("one", Bad("", first_pod)))
    deployment.wait_ready()
    return deployment


@pytest.fixture(autouse=True)
def told(namespace: Kubectl, request: pytest.FixtureRequest) -> Iterator[None]:
    """What a reader needs to understand a failure."""
    yield
    if getattr(request.node, "failed", False):
        print(state(namespace))


def spec_of(name: str, bad: Bad) -> Manifest:
    """A spec in which only what makes it bad differs from the serving one."""
    runtime: dict[str, Any] = {"lameDuckSeconds": LAME_DUCK_SECONDS, "requestTimeoutSeconds": 20}
    return canary_spec(
        model={"engine": "fake", "name": name},
        runtime={
            **runtime,
            "maxConcurrency": 8,
            "fake": {"pageMilliseconds": PAGE_MILLISECONDS, "text": TEXT, **bad.fake},
        },
        rollout=canary(STEPS, maxUnavailable=MAX_UNAVAILABLE, analysis=bad.analysis),
        **bad.spec,
    )


@pytest.mark.parametrize("name", BAD)
def test_bad_canary_is_aborted(name: str, stable: Deployment, sender: Client) -> None:
    traffic = sender.traffic(stable.url(PARSE), seconds=150, period=0.2, workers=3)
    assert_aborted(stable, name, BAD[name], traffic)


def test_slow_canary_is_aborted(namespace: Kubectl, sender: Client) -> None:
    stable = Deployment(namespace, "patient")
    stable.apply(spec_of("one", Bad("", first_pod, fake={"pageMilliseconds": SLOW_MILLISECONDS})))
    stable.wait_ready()
    traffic = sender.traffic(stable.url(PARSE), seconds=150, period=0.2, workers=6)
    assert_aborted(stable, "slow", SLOW, traffic)


def assert_aborted(stable: Deployment, name: str, bad: Bad, traffic: Traffic) -> None:
    """Roll out what is bad, and compare what happens with what must."""
    serving = stable.status()["currentRevision"]
    eventually(traffic.running, bool)
    with watched(stable) as seen, contextlib.closing(traffic):
        began = time.time()
        stable.apply(spec_of(name, bad))
        stable.wait_condition("Progressing", "False", "RolloutFailed", 120)
        eventually(stable.status, lambda s: s["rollout"]["weight"] == 0, 30, "weight 0")
        canary_is_gone(stable)
        counts = traffic.ended()
        first, ended = bad.first_bad(seen, counts, name), weight_zero(seen)
    status, failure = stable.status(), stable.status()["rollout"]["failure"]
    print(f"{name}: {ended - first:.1f} s from the first bad sample to weight 0: {failure[:150]}")
    print(f"{name}: {counts['sent']} requests, {counts['failures']} failed")

    assert bad.failure in failure
    assert status["currentRevision"] == serving
    service = stable.kubectl.get("service", stable.name) or {}
    assert service["spec"]["selector"]["docparser.dev/revision"] == serving
    assert seen.least_available(serving, began) >= REPLICAS - MAX_UNAVAILABLE
    assert bad.fails_requests or counts["failures"] == 0, counts
    late = [at for at in counts["failed_at"] if at > ended + STOP_SECONDS]
    assert not late, f"{len(late)} requests failed after weight 0: {counts}"


def canary_is_gone(stable: Deployment) -> None:
    """Wait until the canary has no Deployment, or one without pods."""
    name = f"deployment/{stable.name}-{stable.status()['rollout']['revision']}"
    words = ("get", name, "--ignore-not-found", "-o", "jsonpath={.spec.replicas}")
    eventually(lambda: stable.kubectl.run(*words), lambda n: n in {"", "0"}, 30, "no canary")


def weight_zero(seen: Watched) -> float:
    """When the canary was given up and had no requests any more."""
    revision = seen.deployment.status()["rollout"]["revision"]

    def holds(found: Manifest) -> bool:
        rollout = found["status"].get("rollout", {})
        failed = rollout.get("revision") == revision and "failedAt" in rollout
        return failed and rollout["weight"] == 0

    found = seen.objects.first(holds)
    assert found is not None, "the weight did not become 0"
    return found.time


def _revision(pod: Manifest) -> str:
    return str(pod["metadata"]["labels"].get("docparser.dev/revision", ""))


def _has_ended(pod: Manifest) -> bool:
    statuses = pod["status"].get("containerStatuses", [])
    ends = [s.get(w, {}).get("terminated") for s in statuses for w in ("state", "lastState")]
    return "deletionTimestamp" not in pod["metadata"] and any(ends)

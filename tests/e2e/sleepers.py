"""A service behind a queue whose workers come when there is work and go when there is none."""

import itertools
import json
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from docparser_api import names
from support.e2e import IMAGE, PYTHON, Client, Deployment
from support.eventually import eventually
from support.kubectl import Manifest

from .queue_parts import QueueParts

BURST = Path(__file__).with_name("burst.py")
LOOK_SECONDS = 0.25
HEAL_SECONDS = 1.0


@dataclass(frozen=True)
class Sleeper:
    """How quick workers are, and how many there may be.

    Attributes:
        places: documents that one reads at the same time.
        idle_seconds: time without work after which the last one goes.
    """

    page_seconds: float
    load_seconds: float
    places: int
    most: int
    target_wait_seconds: int
    idle_seconds: int

    def spec(self, parts: QueueParts) -> Manifest:
        """Return the spec of a deployment that begins without workers."""
        return {
            "image": IMAGE,
            "replicas": 0,
            "topology": "Queue",
            "queue": parts.spec,
            "gateways": {"replicas": 1, "resources": {"requests": {"cpu": "50m"}}},
            "model": {"engine": "fake", "name": "one"},
            "runtime": {
                "lameDuckSeconds": 1,
                "maxConcurrency": self.places,
                "fake": {
                    "pageMilliseconds": round(1000 * self.page_seconds),
                    "loadMilliseconds": round(1000 * self.load_seconds),
                },
            },
            "autoscaling": {
                "minReplicas": 0,
                "maxReplicas": self.most,
                "pagesPerMinute": round(60 * self.places / self.page_seconds),
                "targetWaitSeconds": self.target_wait_seconds,
                "idleSeconds": self.idle_seconds,
                "scaleDown": {"stabilizationSeconds": 30},
            },
            "resources": {"requests": {"cpu": "20m", "memory": "96Mi"}},
            "probes": {"readinessPeriodSeconds": 1},
        }


@dataclass
class Sizes:
    """What the autoscaler asked for over time: seconds and replicas, where they changed."""

    seen: list[tuple[float, int]] = field(default_factory=list)

    def add(self, at: float, replicas: int) -> None:
        if not self.seen or self.seen[-1][1] != replicas:
            self.seen.append((round(at, 2), replicas))

    @property
    def turns(self) -> int:
        """How often the number went the other way than before."""
        numbers = [replicas for _, replicas in self.seen]
        steps = [b > a for a, b in itertools.pairwise(numbers)]
        return sum(a != b for a, b in itertools.pairwise(steps))


def replicas(deployment: Deployment) -> int:
    """Return how many workers are asked for."""
    found = {d["metadata"]["name"]: d["spec"]["replicas"] for d in workloads(deployment)}
    return sum(size for name, size in found.items() if not name.endswith(names.SUFFIX_GATEWAY))


def workloads(deployment: Deployment) -> list[Manifest]:
    """Return its Deployments, that of the gateways included."""
    return deployment.kubectl.list("deployments", f"{names.LABEL_DEPLOYMENT}={deployment.name}")


@contextmanager
def sizes_of(deployment: Deployment) -> Iterator[Sizes]:
    """Record the sizes for the time of the context."""
    sizes, ends, began = Sizes(), threading.Event(), time.monotonic()

    def look() -> None:
        while not ends.wait(LOOK_SECONDS):
            sizes.add(time.monotonic() - began, replicas(deployment))

    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    try:
        yield sizes
    finally:
        ends.set()
        thread.join()


@contextmanager
def healed(deployment: Deployment, spec: Manifest) -> Iterator[list[float]]:
    """Apply `spec` again and again, as a GitOps controller does; yield when it did."""
    applied, ends, began = list[float](), threading.Event(), time.monotonic()

    def heal() -> None:
        while not ends.wait(HEAL_SECONDS):
            deployment.apply(spec)
            applied.append(time.monotonic() - began)

    thread = threading.Thread(target=heal, daemon=True)
    thread.start()
    try:
        yield applied
    finally:
        ends.set()
        thread.join()


def burst(client: Client, deployment: Deployment, *, documents: int, pages: int) -> Manifest:
    """Hand in so many documents at once, and return what became of them."""
    seconds = 300
    url = deployment.url("")
    words = (PYTHON, "-", url, str(documents), str(pages), str(seconds))
    argv = client.kubectl.argv("exec", "-i", "client", "--", *words)
    with BURST.open("rb") as script:
        done = subprocess.run(
            argv, stdin=script, capture_output=True, timeout=seconds + 60, check=False
        )
    assert done.returncode == 0, done.stderr.decode()
    found: Manifest = json.loads(done.stdout)
    return found


def wait_asleep(deployment: Deployment, seconds: float) -> None:
    """Return once no worker is asked for and none is left."""
    eventually(lambda: replicas(deployment), lambda now: now == 0, seconds, "all workers may go")
    eventually(deployment.pods, lambda pods: not pods, 60, "all workers have gone")


def percentile(values: list[float], percent: int) -> float:
    """Return a percentile of sorted values, the nearest one."""
    return values[max(0, -(-len(values) * percent // 100) - 1)]

"""Specs and observations that the tests of rollouts share."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from support.e2e import Deployment
from support.eventually import eventually
from support.history import History
from support.kubectl import Kubectl, Manifest

from .conftest import fake_spec

PARSE = "/v1/document/parse"

STEPS: list[Manifest] = [
    {"setWeight": 33},
    {"pause": {"durationSeconds": 3}},
    {"setWeight": 50},
    {"analysis": {"durationSeconds": 2}},
]


def canary(steps: list[Manifest] | None = None, **changes: Any) -> Manifest:
    """spec.rollout of a canary that takes seconds."""
    analysis = {"intervalSeconds": 1, "minimumRequests": 20, **changes.pop("analysis", {})}
    return {
        "strategy": "Canary",
        "steps": steps or STEPS,
        "progressDeadlineSeconds": 30,
        "analysis": analysis,
        "rollbackCheck": {"enabled": False},
        **changes,
    }


def canary_spec(**changes: Any) -> Manifest:
    """The spec of a deployment whose next revision comes as a canary."""
    probes = {"readinessPeriodSeconds": 1, "startupTimeoutSeconds": 20}
    return fake_spec(**{"probes": probes, "rollout": canary(), **changes})


def weight(found: Manifest) -> int:
    """The weight in the status of a DocParserDeployment."""
    return int(found.get("status", {}).get("rollout", {}).get("weight", -1))


@dataclass(frozen=True)
class Watched:
    """What happens to one DocParserDeployment and its Deployments.

    Attributes:
        deployment: the one that is looked at.
        objects: states of the DocParserDeployment.
        workloads: states of its Deployments.
        pods: states of its pods.
    """

    deployment: Deployment
    objects: History
    workloads: History
    pods: History

    def least_available(self, revision: str, since: float = 0) -> int:
        """Return the fewest available pods that `revision` had at any time from `since` on."""
        name = f"{self.deployment.name}-{revision}"
        before = [s for s in self.workloads.states(name) if s.time < since]
        states = before[-1:] + [s for s in self.workloads.states(name) if s.time >= since]
        assert states, f"no state of {name} was seen"
        return min(0 if s.deleted else available(s.object) for s in states)

    def weights(self, revision: str) -> list[int]:
        """Return the weights that `revision` had, one after the other."""
        found: list[int] = []
        for state in self.objects.states():
            rollout = state.object.get("status", {}).get("rollout", {})
            if rollout.get("revision") == revision and rollout["weight"] != (found or [-1])[-1]:
                found.append(rollout["weight"])
        return found


@contextlib.contextmanager
def watched(deployment: Deployment) -> Iterator[Watched]:
    """Watch `deployment` until the end of the block."""
    kubectl, selector = deployment.kubectl, f"docparser.dev/deployment={deployment.name}"
    with (
        History(kubectl, "dpd") as objects,
        History(kubectl, "deployments", selector) as workloads,
        History(kubectl, "pods", selector) as pods,
    ):
        eventually(objects.states, bool, 20, "the watches tell")
        yield Watched(deployment, objects, workloads, pods)


def available(workload: Manifest) -> int:
    """The available pods of a Deployment."""
    return int(workload["status"].get("availableReplicas", 0))


def workload(kubectl: Kubectl, deployment: Deployment, revision: str) -> Manifest | None:
    """The Deployment of a revision; None where there is none."""
    return kubectl.get("deployment", f"{deployment.name}-{revision}")

"""Which pods go where a revision shrinks: those with the least left to read. Pure.

Kubernetes takes pods that are not ready first, and of the others those with the lowest deletion
cost. Pods are marked right before they are to go, and only where it matters, so that nothing is
written at rest.
"""

import math
from collections.abc import Mapping
from typing import Final

from docparser_operator.kinds import POD, Manifest
from docparser_operator.observed import Observed
from docparser_operator.pods import Pod
from docparser_operator.situation import Decision

ANNOTATION: Final = "controller.kubernetes.io/pod-deletion-cost"
FIRST: Final = "-1"
"""Cost of a pod that is to go before others, which have none and so count as 0."""


def deletion_costs(
    observed: Observed, decision: Decision, remaining: Mapping[str, float]
) -> list[Manifest]:
    """Return the pods whose mark changes, as far as they are to be written.

    Args:
        observed: the pods.
        decision: how many each revision is to have.
        remaining: what each pod has left to read, by uid; one that is missing counts as busiest.
    """
    changed = []
    for revision, size in decision.sizes.items():
        workload = observed.workloads.get(revision)
        if workload is not None and 0 < size < workload.replicas:
            pods = [p for p in observed.pods if p.revision == revision and not p.deleting]
            changed += _changed(pods, size, remaining)
    return changed


def _changed(pods: list[Pod], size: int, remaining: Mapping[str, float]) -> list[Manifest]:
    """Return the pods of one revision whose mark changes, so that the idlest ones go."""
    ready = [pod for pod in pods if pod.ready]
    leaving = len(ready) - size
    left = {pod.name: remaining.get(_uid(pod), math.inf) for pod in ready}
    if leaving <= 0 or len(set(left.values())) == 1 or any(_is_users(pod) for pod in ready):
        return []
    ready.sort(key=lambda pod: (left[pod.name], not _is_marked(pod), pod.name))
    going = {pod.name for pod in ready[:leaving]}
    return [
        _marked(pod, is_first=pod.name in going)
        for pod in ready
        if _is_marked(pod) != (pod.name in going)
    ]


def _marked(pod: Pod, *, is_first: bool) -> Manifest:
    """Return what is to be applied to `pod`, if it still is that one."""
    metadata = pod.manifest["metadata"]
    return {
        "apiVersion": POD.api_version,
        "kind": POD.kind,
        "metadata": {
            "name": pod.name,
            "namespace": metadata["namespace"],
            "uid": metadata["uid"],
            **({"annotations": {ANNOTATION: FIRST}} if is_first else {}),
        },
    }


def _cost(pod: Pod) -> str | None:
    cost: str | None = pod.manifest["metadata"].get("annotations", {}).get(ANNOTATION)
    return cost


def _is_marked(pod: Pod) -> bool:
    return _cost(pod) == FIRST


def _is_users(pod: Pod) -> bool:
    """Return whether spec.podMetadata, or somebody else, has said when this pod is to go."""
    return _cost(pod) not in {None, FIRST}


def _uid(pod: Pod) -> str:
    return str(pod.manifest.get("metadata", {}).get("uid", ""))

"""What a cluster holds in the end, without what differs from run to run."""

import json
import re
from collections import Counter
from typing import Any

from docparser_operator.kinds import EVENT, POD, Manifest
from support.memory_cluster import MemoryCluster

_VARYING = {
    "uid",
    "resourceVersion",
    "resource_version",
    "creationTimestamp",
    "lastTransitionTime",
    "startedAt",
    "progressedAt",
    "promotedAt",
    "completedAt",
    "failedAt",
    "stepStartedAt",
    "since",
    "time",
    "decidedAt",
    "generation",
    "idleSince",
    "observedGeneration",
    # Measured anew after a restart; what was decided by it stands in the outcome.
    "analysis",
    "inputs",
    "recommendations",
}
_POD_NUMBER = re.compile(r"-\d{4}\b")
_JOB_OF_A_TIME = re.compile(r"-[gr]-[0-9a-f]{8}\b")


def digest(cluster: MemoryCluster) -> Manifest:
    """Return everything that the cluster holds, pods as counts."""
    result: Manifest = {}
    pods: Counter[str] = Counter()
    for ref, manifest in sorted(cluster.objects.items(), key=lambda item: str(item[0])):
        if ref.kind == POD:
            pods[
                json.dumps(_scrubbed({**manifest, "metadata": manifest["metadata"]["labels"]}))
            ] += 1
        elif ref.kind != EVENT:
            result[_name(str(ref))] = _scrubbed(manifest)
    return {**result, "pods": dict(pods)}


def removals(cluster: MemoryCluster, since: int = 0) -> Counter[str]:
    """Return how many objects of each kind have been removed from change number `since` on."""
    return Counter(c.ref.kind.kind for c in cluster.changes[since:] if c.deleted)


def _scrubbed(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _scrubbed(v) for k, v in value.items() if k not in _VARYING}
    if isinstance(value, list):
        return [_scrubbed(item) for item in value]
    if isinstance(value, str) and value[:1] in {"{", "["}:
        return _scrubbed(json.loads(value))
    return _name(value) if isinstance(value, str) else value


def _name(text: str) -> str:
    """Return `text` without what tells one run's pods and Jobs from another's."""
    return _POD_NUMBER.sub("", _JOB_OF_A_TIME.sub("-job", text))


def differences(found: Any, wanted: Any, where: str = "") -> list[str]:
    """Return the places at which two digests differ."""
    if isinstance(found, dict) and isinstance(wanted, dict):
        keys = sorted({*found, *wanted})
        parts = (differences(found.get(k), wanted.get(k), f"{where}.{k}") for k in keys)
        return [line for part in parts for line in part]
    return [] if found == wanted else [f"{where}: {found!r} instead of {wanted!r}"]

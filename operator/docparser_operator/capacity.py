"""How many more pods of a revision find free GPUs. Pure."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from docparser_operator.kinds import Manifest

_KEEPS_OFF = {"NoSchedule", "NoExecute"}


@dataclass(frozen=True)
class Capacity:
    """The nodes of the cluster, and what pods have taken of their devices.

    Attributes:
        nodes: the Node objects.
        taken: devices taken, by node and resource name.
    """

    nodes: tuple[Manifest, ...]
    taken: Mapping[tuple[str, str], int]


def capacity_of(nodes: Sequence[Manifest], pods: Sequence[Manifest]) -> Capacity:
    """Return the capacity that `nodes` have beside all `pods` of the cluster.

    A pod that shuts down still holds its devices; one that has ended holds none.
    """
    taken: defaultdict[tuple[str, str], int] = defaultdict(int)
    for pod in pods:
        node = pod["spec"].get("nodeName")
        if node and pod.get("status", {}).get("phase") not in {"Succeeded", "Failed"}:
            for resource, count in devices(pod["spec"]).items():
                taken[node, resource] += count
    return Capacity(tuple(nodes), dict(taken))


def devices(pod_spec: Manifest) -> dict[str, int]:
    """Return the extended resources that a pod takes: those whose name has a domain."""
    found: defaultdict[str, int] = defaultdict(int)
    for container in pod_spec["containers"]:
        for name, amount in container.get("resources", {}).get("limits", {}).items():
            if "/" in name:
                found[name] += _whole(str(amount))
    return dict(found)


def fitting_pods(template: Manifest, capacity: Capacity | None) -> int | None:
    """Return how many more pods of `template` find free devices; None where none are needed."""
    if capacity is None:
        return None
    wanted = {name: count for name, count in devices(template["spec"]).items() if count}
    if not wanted:
        return None
    fitting = 0
    for node in capacity.nodes:
        if admits(node, template["spec"]):
            fitting += min(_free(node, name, capacity) // n for name, n in wanted.items())
    return fitting


def fits_somewhere(template: Manifest, capacity: Capacity) -> bool:
    """Return whether a node has the devices for one pod of `template`, be they free or taken."""
    wanted = devices(template["spec"])
    return any(
        all(allocatable(node, name) >= count for name, count in wanted.items())
        for node in capacity.nodes
        if admits(node, template["spec"])
    )


def gives_room(template: Manifest, others: Iterable[Manifest], capacity: Capacity | None) -> bool:
    """Return whether a pod of `template` may find devices once pods of `others` are gone."""
    if capacity is None or not fits_somewhere(template, capacity):
        return False
    wanted = {name for name, count in devices(template["spec"]).items() if count}
    held = {n for other in others for n, count in devices(other["spec"]).items() if count}
    return bool(wanted & held)


def _free(node: Manifest, resource: str, capacity: Capacity) -> int:
    name = node["metadata"]["name"]
    return max(0, allocatable(node, resource) - capacity.taken.get((name, resource), 0))


def allocatable(node: Manifest, resource: str) -> int:
    """Return how many devices of a kind `node` has."""
    return _whole(str(node.get("status", {}).get("allocatable", {}).get(resource, "0")))


def _whole(amount: str) -> int:
    """Return a number of devices; the API server writes thousands as `k`."""
    return int(amount.removesuffix("k")) * (1000 if amount.endswith("k") else 1)


def admits(node: Manifest, spec: Manifest) -> bool:
    """Return whether the scheduler may use `node`: it is ready, and selector and taints fit.

    Affinity is left to the scheduler; a pod that it cannot place meets its deadline.
    """
    conditions = node.get("status", {}).get("conditions", [])
    ready = any(c["type"] == "Ready" and c["status"] == "True" for c in conditions)
    labels = node["metadata"].get("labels", {})
    selected = all(labels.get(k) == v for k, v in spec.get("nodeSelector", {}).items())
    taints = [t for t in node["spec"].get("taints", []) if t["effect"] in _KEEPS_OFF]
    tolerated = all(
        any(_tolerates(toleration, taint) for toleration in spec.get("tolerations", []))
        for taint in taints
    )
    return ready and selected and tolerated and not node["spec"].get("unschedulable", False)


def _tolerates(toleration: Mapping[str, Any], taint: Mapping[str, Any]) -> bool:
    """Return whether `toleration` covers `taint`, as the Kubernetes API defines it."""
    if toleration.get("effect") not in {None, "", taint["effect"]}:
        return False
    if toleration.get("operator", "Equal") == "Exists":
        return toleration.get("key") in {None, "", taint["key"]}
    same_value = toleration.get("value", "") == taint.get("value", "")
    return bool(toleration.get("key") == taint["key"]) and same_value

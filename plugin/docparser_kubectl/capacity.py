"""Room for pods: what nodes have, less what the pods on them request. Pure."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from docparser_operator.kinds import Manifest

from docparser_kubectl.placement import obstacle
from docparser_kubectl.quantities import number

Amounts = dict[str, Decimal]


@dataclass(frozen=True)
class Room:
    """How many pods of one kind the nodes can take.

    Attributes:
        nodes: all nodes.
        now: pods that fit beside those that run.
        at_all: pods that would fit if nothing else ran.
        free: what is free on the nodes that may run the pods, by resource.
        obstacles: why nodes cannot run even one pod, with the number of nodes.
    """

    nodes: int
    now: int
    at_all: int
    free: Amounts
    obstacles: dict[str, int]


def room(nodes: list[Manifest], pods: list[Manifest], pod_spec: Manifest) -> Room:
    """Return the room for pods of `pod_spec`."""
    needed = requests(pod_spec)
    used = _used(pods)
    obstacles: Counter[str] = Counter()
    now, at_all, free = 0, 0, []
    for node in nodes:
        reason = obstacle(node, pod_spec)
        if reason is not None:
            obstacles[reason] += 1
            continue
        has = {k: number(v) for k, v in node.get("status", {}).get("allocatable", {}).items()}
        taken = used.get(node["metadata"]["name"], {})
        left = {k: max(Decimal(0), value - taken.get(k, Decimal(0))) for k, value in has.items()}
        free.append(left)
        now += _fits(needed, left)
        at_all += _fits(needed, has)
        if not _fits(needed, has):
            obstacles[_shortage(needed, has)] += 1
    return Room(len(nodes), now, at_all, _sum(free), dict(obstacles))


def requests(pod_spec: Manifest) -> Amounts:
    """Return what the scheduler sets aside for a pod: all containers, or the largest initial one.

    An initial container that goes on running counts with the others.
    """
    initial = pod_spec.get("initContainers") or []
    lasting = [c for c in initial if c.get("restartPolicy") == "Always"]
    passing = [c for c in initial if c.get("restartPolicy") != "Always"]
    total = _sum(_container(c) for c in [*pod_spec.get("containers", []), *lasting])
    for container in passing:
        for key, value in _container(container).items():
            total[key] = max(total.get(key, Decimal(0)), value)
    overhead = {k: number(v) for k, v in (pod_spec.get("overhead") or {}).items()}
    return _sum([total, overhead, {"pods": Decimal(1)}])


def _used(pods: list[Manifest]) -> dict[str, Amounts]:
    """Return what the pods of each node request; those that have ended request nothing."""
    by_node: dict[str, list[Amounts]] = {}
    for pod in pods:
        node = pod["spec"].get("nodeName")
        if node and pod.get("status", {}).get("phase") not in {"Succeeded", "Failed"}:
            by_node.setdefault(node, []).append(requests(pod["spec"]))
    return {node: _sum(amounts) for node, amounts in by_node.items()}


def _container(container: Manifest) -> Amounts:
    resources = container.get("resources") or {}
    # A limit without a request is a request.
    asked = {**(resources.get("limits") or {}), **(resources.get("requests") or {})}
    return {key: number(value) for key, value in asked.items()}


def _sum(amounts: Iterable[Amounts]) -> Amounts:
    total: Amounts = {}
    for one in amounts:
        for key, value in one.items():
            total[key] = total.get(key, Decimal(0)) + value
    return total


def _fits(needed: Amounts, has: Amounts) -> int:
    counts = [has.get(key, Decimal(0)) // value for key, value in needed.items() if value > 0]
    return max(0, int(min(counts)))


def _shortage(needed: Amounts, has: Amounts) -> str:
    """Return the first resource of which even an empty node has too little."""
    key = next(key for key, value in needed.items() if has.get(key, Decimal(0)) < value)
    return f"has {has.get(key, Decimal(0)):f} {key}, a pod needs {needed[key]:f}"

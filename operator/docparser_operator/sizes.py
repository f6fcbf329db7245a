"""How many pods the revisions get that make room for another one: pure arithmetic."""

from dataclasses import dataclass

from docparser_operator.observed import Observed


def retired(observed: Observed, keep: set[str | None], *, shrink: bool = True) -> dict[str, int]:
    """Return the sizes of the revisions that go: 0, or what they are without `shrink`."""
    gone = observed.empty_workloads(but=keep)
    return {
        name: 0 if shrink else workload.replicas
        for name, workload in observed.workloads.items()
        if name not in keep and name not in gone
    }


@dataclass(frozen=True)
class Exchange:
    """How pods are replaced in place.

    Attributes:
        replicas: pods altogether.
        wanted: pods that the growing revision is to have.
        max_unavailable: pods that may be missing meanwhile.
        others_first: whether all others must be gone before the first pod starts.
    """

    replicas: int
    wanted: int
    max_unavailable: int
    others_first: bool = False


def exchanged(
    observed: Observed, growing: str, stable: str | None, rules: Exchange
) -> dict[str, int]:
    """Return sizes by which `growing` takes the place of others, pod by pod.

    The others keep what must go on serving, the stable revision first; of another one only ready
    pods are worth keeping. `growing` gets the room of pods that are gone altogether,
    since those that shut down still hold their GPUs.
    """
    known = observed.workloads
    current = known.get(growing)
    available = current.available if current else 0
    keep = max(rules.replicas - rules.wanted, rules.replicas - available - rules.max_unavailable, 0)
    sizes = retired(observed, {growing})
    for name in sorted(sizes, key=lambda name: (name != stable, name)):
        workload = known[name]
        worth = workload.replicas if name == stable else min(workload.replicas, workload.ready)
        sizes[name] = min(worth, keep)
        keep -= sizes[name]
    room = _room(observed, growing, sizes, rules)
    size = current.replicas if current else 0
    return sizes | {growing: max(min(size, rules.wanted), min(room, rules.wanted), 0)}


def _room(observed: Observed, growing: str, others: dict[str, int], rules: Exchange) -> int:
    """Return how many pods `growing` may have beside what is left of the others."""
    known = observed.workloads
    # A Deployment controller that lags may still be making pods of an earlier size.
    if not all(known[name].current for name in (*others, growing) if name in known):
        return 0
    pods = _pods_of_others(observed, growing, set(others))
    if rules.others_first and pods:
        return 0
    size = known[growing].replicas if growing in known else 0
    leaving = max(observed.deleting_count(growing), observed.pod_count(growing) - size)
    return rules.replicas - max(sum(others.values()), pods) - leaving


def _pods_of_others(observed: Observed, growing: str, others: set[str]) -> int:
    """Return how many pods there are of other revisions, as we and as their controllers see it."""
    workloads = [observed.workloads[name] for name in others]
    counted = sum(max(observed.pod_count(w.revision), w.pods) for w in workloads)
    return max(counted, observed.foreign_pod_count(growing))

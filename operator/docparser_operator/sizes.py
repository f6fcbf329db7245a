"""How many pods the revisions get that make room for another one: pure arithmetic."""

from docparser_operator.observed import Observed


def retired(observed: Observed, keep: set[str | None], *, shrink: bool = True) -> dict[str, int]:
    """Return the sizes of the revisions that go: 0, or what they are without `shrink`."""
    gone = observed.empty_workloads(but=keep)
    return {
        name: 0 if shrink else workload.replicas
        for name, workload in observed.workloads.items()
        if name not in keep and name not in gone
    }


def exchanged(
    observed: Observed, growing: str, stable: str | None, replicas: int, max_unavailable: int
) -> dict[str, int]:
    """Return sizes by which `growing` takes the place of all others, pod by pod.

    The others keep what must go on serving, the stable revision first; of another one only ready
    pods are worth keeping. `growing` gets the room of pods that are gone altogether,
    since those that shut down still hold their GPUs.
    """
    known = observed.workloads
    current = known.get(growing)
    keep = max(0, replicas - (current.available if current else 0) - max_unavailable)
    sizes = retired(observed, {growing})
    for name in sorted(sizes, key=lambda name: (name != stable, name)):
        workload = known[name]
        worth = workload.replicas if name == stable else min(workload.replicas, workload.ready)
        sizes[name] = min(worth, keep)
        keep -= sizes[name]
    taken = max(sum(sizes.values()), _pods_of_others(observed, growing, set(sizes)))
    size = current.replicas if current else 0
    leaving = max(observed.deleting_count(growing), observed.pod_count(growing) - size)
    # A Deployment controller that lags may still be making pods of an earlier size.
    settled = all(known[name].current for name in (*sizes, growing) if name in known)
    room = replicas - taken - leaving if settled else 0
    return sizes | {growing: max(min(size, replicas), room, 0)}


def _pods_of_others(observed: Observed, growing: str, others: set[str]) -> int:
    """Return how many pods there are of other revisions, as we and as their controllers see it."""
    workloads = [observed.workloads[name] for name in others]
    counted = sum(max(observed.pod_count(w.revision), w.pods) for w in workloads)
    return max(counted, observed.foreign_pod_count(growing))

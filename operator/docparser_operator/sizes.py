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

    The others keep what must stay available, the stable revision first; of another one only
    available pods are worth keeping. `growing` gets the room of pods that are gone altogether,
    since those that shut down still hold their GPUs.
    """
    current = observed.workloads.get(growing)
    keep = max(0, replicas - (current.available if current else 0) - max_unavailable)
    sizes = retired(observed, {growing})
    for name in sorted(sizes, key=lambda name: (name != stable, name)):
        workload = observed.workloads[name]
        worth = workload.replicas if name == stable else min(workload.replicas, workload.available)
        sizes[name] = min(worth, keep)
        keep -= sizes[name]
    others = [observed.workloads[name] for name in sizes]
    pods = sum(max(observed.pod_count(other.revision), other.pods) for other in others)
    taken = max(sum(sizes.values()), observed.foreign_pod_count(growing), pods)
    # A Deployment controller that lags may still be making pods of an earlier size.
    room = replicas - taken if all(other.current for other in others) else 0
    size = min(current.replicas if current else 0, replicas)
    return sizes | {growing: max(size, room, 0)}

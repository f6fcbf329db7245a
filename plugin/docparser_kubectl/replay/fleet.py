"""Pods that are asked for, get a GPU, start, serve and go."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from docparser_kubectl.replay.backlog import Document


@dataclass(eq=False, slots=True)
class Stretch:
    """Pages of a document that a pod reads one after the other.

    Attributes:
        pages: that are to be read.
        ends_at: when the last of them is read.
    """

    document: Document
    pod: "Pod"
    began_at: float
    pages: int
    ends_at: float


@dataclass(eq=False, slots=True)
class Pod:
    """A pod.

    Attributes:
        bound_at: when it got its GPU; None while it waits for one.
        is_ready: whether it serves.
        is_leaving: whether it takes no more documents.
        gone_at: when it gave its GPU back; None until then.
        work: what it reads.
    """

    number: int
    asked_at: float
    bound_at: float | None = None
    is_ready: bool = False
    is_leaving: bool = False
    gone_at: float | None = None
    work: list[Stretch] = field(default_factory=list)


@dataclass(slots=True)
class Fleet:
    """All pods that ever were.

    Attributes:
        room: pods that find a GPU.
        present: those that are not gone, in the order in which they were asked for.
        gone: the others.
    """

    room: int
    present: list[Pod] = field(default_factory=list)
    gone: list[Pod] = field(default_factory=list)

    @property
    def staying(self) -> list[Pod]:
        """Pods that are asked for."""
        return [pod for pod in self.present if not pod.is_leaving]

    @property
    def free_room(self) -> int:
        """GPUs that no pod has, as pods."""
        return self.room - sum(pod.bound_at is not None for pod in self.present)

    def ask(self, count: int, now: float) -> None:
        """Ask for further pods."""
        first = len(self.present) + len(self.gone)
        self.present += [Pod(first + index, now) for index in range(count)]

    def bind(self, now: float) -> Iterator[Pod]:
        """Give free GPUs to pods that wait for one, and yield those."""
        waiting = [pod for pod in self.staying if pod.bound_at is None]
        for pod in waiting[: max(0, self.free_room)]:
            pod.bound_at = now
            yield pod

    def leave(self, count: int, now: float) -> list[Pod]:
        """Return pods that have to go: first those that do not serve, then the idlest."""
        chosen = sorted(self.staying, key=lambda pod: _worth(pod, now))[:count]
        for pod in chosen:
            pod.is_leaving = True
        return chosen

    def remove(self, pod: Pod, now: float) -> None:
        """Let a pod go that has nothing left to do."""
        pod.gone_at = now
        self.present.remove(pod)
        self.gone.append(pod)

    def gpu_seconds(self, until: float) -> float:
        """Return the time for which pods had GPUs, in seconds of one pod."""
        return sum(
            (until if pod.gone_at is None else pod.gone_at) - pod.bound_at
            for pod in (*self.present, *self.gone)
            if pod.bound_at is not None
        )


def _worth(pod: Pod, now: float) -> tuple[bool, bool, float, int]:
    """Return what is sorted by, the least valuable first; of equals the youngest."""
    left = sum(stretch.ends_at - now for stretch in pod.work)
    return pod.bound_at is not None, pod.is_ready, left, -pod.number

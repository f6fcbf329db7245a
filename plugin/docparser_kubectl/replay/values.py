"""What is played with: the deployment, and what an autoscaler sees of it."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol


class Drain(StrEnum):
    """What a pod that has to go does with its documents."""

    GIVE_BACK = "give-back"
    """It finishes the pages in hand; the others are read elsewhere."""
    FINISH = "finish"
    """It reads them to their end."""


@dataclass(frozen=True)
class Setup:
    """A deployment.

    Attributes:
        page_seconds: time for which a page takes a place.
        places: documents that a pod reads at the same time, one page of each.
        lead_seconds: from a pod's getting its GPU until it serves.
        least: pods; HPA cannot go below 1.
        most: pods.
        room: pods for which there are GPUs; others wait until one is free.
        gpus: of a pod.
        target_wait: longest time that a page should wait, in seconds.
    """

    page_seconds: float = 2.0
    places: int = 2
    lead_seconds: float = 90.0
    least: int = 0
    most: int = 10
    room: int = 1000
    gpus: int = 1
    target_wait: float = 60.0
    drain: Drain = Drain.GIVE_BACK

    @property
    def pages_per_second(self) -> float:
        """What a busy pod reads."""
        return self.places / self.page_seconds

    @property
    def capacity(self) -> float:
        """Pages that the most pods read in a second."""
        return min(self.most, self.room) * self.pages_per_second


@dataclass(frozen=True)
class View:
    """What an autoscaler sees.

    Attributes:
        now: seconds since the beginning.
        asked: pods that are asked for.
        ready: pods that serve.
        starting: of each pod that does not serve yet, the seconds since it was asked for.
        queued_pages: pages of documents that wait.
        running_pages: pages of begun documents that are left.
        busy_places: pages that are being read at this moment.
        oldest_wait: of what waits, in seconds; 0 if nothing does.
        arrived_pages: in all since the beginning.
        free_room: further pods for which there are GPUs.
    """

    now: float
    asked: int
    ready: int
    starting: tuple[float, ...]
    queued_pages: int
    running_pages: int
    busy_places: int
    oldest_wait: float
    arrived_pages: int
    free_room: int

    @property
    def pods(self) -> int:
        """Pods that serve or are on their way."""
        return self.ready + len(self.starting)


class Autoscaler(Protocol):
    """Decides how many pods there should be, with a memory of its own."""

    @property
    def interval(self) -> float:
        """Return the seconds between two looks."""

    @property
    def is_woken(self) -> bool:
        """Return whether an arrival makes it look at once where no pod is asked for."""

    def replicas(self, view: View) -> int:
        """Return the pods that should run."""

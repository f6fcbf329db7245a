"""What a decision about the number of pods is made from, and what it says."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum

from docparser_api.autoscaling import ScalingReason

from docparser_operator.autoscaling.schedules import Calendar


class Freeze(Enum):
    """What may not change."""

    NOTHING = "Nothing"
    SHRINKING = "Shrinking"
    """A rollout is under way: its shares and its comparison need the pods that there are."""
    ALL = "All"
    """Somebody has paused the rollout."""


@dataclass(frozen=True)
class Rules:
    """What spec.autoscaling asks for.

    Attributes:
        pages_per_second: of one pod, until it was measured; None if nobody knows.
        vram_high_fraction: of the planned GPU memory, from which a pod counts as full.
        calendar: times with bounds of their own.
    """

    min_replicas: int
    max_replicas: int
    target_wait_seconds: float = 60.0
    pages_per_second: float | None = None
    idle_seconds: float = 600.0
    scale_up_stabilization_seconds: float = 0.0
    scale_down_stabilization_seconds: float = 120.0
    vram_high_fraction: float = 0.92
    calendar: Calendar = field(default_factory=Calendar)


@dataclass(frozen=True)
class Demand:
    """What there is to do, over all pods.

    Attributes:
        measured_at: when all of this was the case.
        arrival_growth: change of the arrival rate, in pages per second, within a second.
        active_at: when there was work last, however short; None if that is not known.
    """

    queued_pages: float
    running_pages: float
    oldest_wait_seconds: float
    arrival_pages_per_second: float
    measured_at: datetime
    arrival_growth: float = 0.0
    active_at: datetime | None = None

    @property
    def is_nothing(self) -> bool:
        """Whether nothing is left to do and nothing arrives."""
        return self.queued_pages + self.running_pages + self.arrival_pages_per_second <= 0


@dataclass(frozen=True)
class Supply:
    """What there is to do it with.

    Attributes:
        ready: pods that serve.
        starting: for each pod that was asked for and does not serve yet, the seconds since then.
        pages_per_second: of one busy pod, as measured; None if it was not.
        lead_time_seconds: from asking for a pod until it serves; None if nobody knows.
        vram_used_fraction: of the planned GPU memory, of the fullest pod; None without a GPU.
        schedulable: how many more pods find room; None if that does not matter or is not known.
    """

    ready: int
    starting: tuple[float, ...] = ()
    pages_per_second: float | None = None
    lead_time_seconds: float | None = None
    vram_used_fraction: float | None = None
    schedulable: int | None = None
    frozen: Freeze = Freeze.NOTHING

    @property
    def pods(self) -> int:
        """Pods that serve or are on their way."""
        return self.ready + len(self.starting)


@dataclass(frozen=True)
class Wish:
    """A number of pods, and when it was last wished for."""

    replicas: int
    until: datetime


@dataclass(frozen=True)
class State:
    """What one decision leaves to the next.

    Attributes:
        replicas: pods that are asked for.
        wished: what the demand needed last; None before the first decision.
        wishes: earlier ones that still count, the latest last.
        idle_since: since when pods serve and have nothing to do; None while they have.
    """

    replicas: int
    wished: Wish | None = None
    wishes: tuple[Wish, ...] = ()
    idle_since: datetime | None = None


@dataclass(frozen=True)
class Decision:
    """How many pods should run, and why.

    Attributes:
        recommended: what the demand alone needs, within the bounds.
        least: pods, by rules and schedules, at this time.
        most: the same.
        state: for the next decision.
    """

    replicas: int
    reason: ScalingReason
    message: str
    recommended: int
    least: int
    most: int
    state: State

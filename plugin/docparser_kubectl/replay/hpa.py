"""The published rules of the HorizontalPodAutoscaler for a metric with a target per pod.

Kubernetes, "Horizontal Pod Autoscaling": a look every 15 s; pods = metric / target, rounded up,
unless the ratio to what there is lies within 10 %; upwards at most twice the pods or four more
in 15 s; downwards to the largest wish of the last 300 s. Without a metric nothing changes, and
where no pod is asked for nothing is done.
"""

import math
from dataclasses import dataclass
from typing import Final

from docparser_kubectl.replay.values import View

SYNC_SECONDS: Final = 15.0
TOLERANCE: Final = 0.1
UP_SECONDS: Final = 15.0
UP_PODS: Final = 4
UP_FACTOR: Final = 2.0
DOWN_WINDOW_SECONDS: Final = 300.0


@dataclass(frozen=True)
class Wish:
    """What the metric called for at a time."""

    at: float
    pods: int


@dataclass(frozen=True)
class Memory:
    """What a look leaves to the next.

    Attributes:
        wishes: within the window.
        added: pods that were added within the time for which additions are limited.
    """

    wishes: tuple[Wish, ...] = ()
    added: tuple[Wish, ...] = ()


@dataclass(frozen=True)
class Bounds:
    """The bounds of a HorizontalPodAutoscaler; `least` is at least 1."""

    least: int
    most: int


def proportional(metric: float, target: float, pods: int) -> int:
    """Return the pods that bring `metric` to `target` each, or `pods` where that is near enough.

    `pods` are those that exist, at least one, whether they serve or not.
    """
    if abs(1.0 - metric / (target * pods)) <= TOLERANCE:
        return pods
    return math.ceil(metric / target)


def decide(
    bounds: Bounds, memory: Memory, asked: int, wish: int | None, now: float
) -> tuple[int, Memory]:
    """Return the pods that should run, and what to remember.

    Args:
        bounds: fewest and most pods.
        memory: what the look before this one has left.
        asked: pods that are asked for.
        wish: what the metric calls for; None without a metric.
        now: the time in seconds.
    """
    if asked == 0 or wish is None:
        return asked, memory
    # The number of pods at the first look counts as a wish.
    before = memory.wishes or (Wish(now, asked),)
    wishes = (*(w for w in before if now - w.at < DOWN_WINDOW_SECONDS), Wish(now, wish))
    steady = min(max(asked, wish), max(w.pods for w in wishes))
    added = tuple(w for w in memory.added if now - w.at < UP_SECONDS)
    begun_with = asked - sum(w.pods for w in added)
    limit = max(math.ceil(begun_with * UP_FACTOR), begun_with + UP_PODS)
    pods = max(bounds.least, min(steady, max(limit, asked), bounds.most))
    if pods > asked:
        added = (*added, Wish(now, pods - asked))
    return pods, Memory(wishes, added)


class HorizontalPodAutoscaler:
    """Follows the pages that wait or are being read, per pod."""

    def __init__(self, target_pages: float, least: int, most: int) -> None:
        """Let each pod have `target_pages`; there is no way back from none, so that one stays."""
        self._target = target_pages
        self._bounds = Bounds(max(1, least), most)
        self._memory = Memory()

    @property
    def interval(self) -> float:
        """Return the seconds between two looks."""
        return SYNC_SECONDS

    @property
    def is_woken(self) -> bool:
        """Return that nothing wakes it."""
        return False

    def replicas(self, view: View) -> int:
        """Return the pods that should run."""
        wish = None
        if view.pods:
            wish = proportional(view.queued_pages + view.busy_places, self._target, view.pods)
        pods, self._memory = decide(self._bounds, self._memory, view.asked, wish, view.now)
        return pods

"""A trace under three autoscalers, and what the other two need to let nobody wait longer."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from docparser_operator.autoscaling.values import Rules

from docparser_kubectl.replay.builtin import MORNING, Builtin
from docparser_kubectl.replay.hpa import HorizontalPodAutoscaler
from docparser_kubectl.replay.keda import Keda
from docparser_kubectl.replay.model import play
from docparser_kubectl.replay.outcome import Outcome, outcome
from docparser_kubectl.replay.traces import Trace
from docparser_kubectl.replay.values import Autoscaler, Setup

FIRST_SECONDS: Final = 600.0
"""Beginning of a trace, for whose arrivals all autoscalers have the same pods at first."""
FIRST_BUSY: Final = 0.8
STEP: Final = 2**0.5
"""Between two targets that are tried for the other autoscalers."""
LEAST_TARGET: Final = 0.5
"""Smallest target, in pages for each place of a pod: half of them are free then."""

Rival = Callable[[float, int, int], Autoscaler]
RIVALS: Final[dict[str, Rival]] = {"HPA": HorizontalPodAutoscaler, "KEDA": Keda}


@dataclass(frozen=True)
class Rivalry:
    """What one of the other autoscalers does.

    Attributes:
        usual: with the target that the target wait suggests.
        matching: the fewest GPU-hours, over all targets, at which 99 % of the pages wait no
            longer than with ours; None where no target achieves that.
    """

    usual: Outcome
    matching: Outcome | None


@dataclass(frozen=True)
class Comparison:
    """A trace under all autoscalers."""

    trace: Trace
    setup: Setup
    ours: Outcome
    rivals: tuple[Rivalry, ...]

    @property
    def shares(self) -> dict[str, float | None]:
        """GPU-hours of ours as share of those of each other one's matching outcome."""
        return {rival.usual.name: self._share(rival.matching) for rival in self.rivals}

    def _share(self, matching: Outcome | None) -> float | None:
        return None if matching is None else self.ours.gpu_hours / matching.gpu_hours


def compare(trace: Trace, setup: Setup, rules: Rules) -> Comparison:
    """Return what becomes of `trace` under each autoscaler."""
    begin = pods_at_first(trace, setup)
    ours = outcome("Builtin", None, play(trace, setup, Builtin(rules, setup, MORNING), begin))
    found = []
    for name, rival in RIVALS.items():
        tried = [
            outcome(name, target, play(trace, setup, rival(target, setup.least, setup.most), begin))
            for target in targets(setup)
        ]
        matching = [one for one in tried if one.p99_or_never <= ours.p99_or_never]
        cheapest = min(matching, key=lambda one: one.gpu_hours, default=None)
        found.append(Rivalry(tried[0], cheapest))
    return Comparison(trace, setup, ours, tuple(found))


def targets(setup: Setup) -> list[float]:
    """Return the targets that are tried, in pages per pod.

    The first is what one who knows the pods chooses: as many as a pod reads in the target wait.
    """
    usual = setup.target_wait * setup.pages_per_second
    least = LEAST_TARGET * setup.places
    steps = max(0, math.floor(math.log(usual / least, STEP)))
    return [usual / STEP**step for step in range(steps + 1)]


def pods_at_first(trace: Trace, setup: Setup) -> int:
    """Return the pods that the first minutes of `trace` need."""
    pages = sum(arrival.pages for arrival in trace.arrivals if arrival.at < FIRST_SECONDS)
    needed = math.ceil(pages / FIRST_SECONDS / (FIRST_BUSY * setup.pages_per_second))
    return min(max(needed, setup.least), setup.most, setup.room)

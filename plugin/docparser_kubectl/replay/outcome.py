"""What a run comes to, in figures."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from docparser_kubectl.replay.model import Run, Sample, Wait


@dataclass(frozen=True)
class Outcome:
    """An autoscaler's figures for a trace.

    Attributes:
        target_pages: for each pod, as the rules of HPA and KEDA want it; None for ours.
        wait_p50: seconds within which half of the pages were begun; None if none was read.
        wait_p99: the same of 99 %.
        longest_wait: the same of all.
        starts: pods that were asked for, without those of the beginning.
        read_pages: that were read.
        unread_pages: that never were.
        samples: how it stood at each look.
    """

    name: str
    target_pages: float | None
    gpu_hours: float
    wait_p50: float | None
    wait_p99: float | None
    longest_wait: float | None
    starts: int
    read_pages: int
    unread_pages: int
    seconds: float
    samples: tuple[Sample, ...]

    @property
    def p99_or_never(self) -> float:
        """The wait of 99 % of all pages; endless where some are never read."""
        return math.inf if self.unread_pages or self.wait_p99 is None else self.wait_p99


def outcome(name: str, target_pages: float | None, run: Run) -> Outcome:
    """Return the figures of `run`."""
    return Outcome(
        name=name,
        target_pages=target_pages,
        gpu_hours=run.gpu_seconds / 3600,
        wait_p50=quantile(run.waits, 0.5),
        wait_p99=quantile(run.waits, 0.99),
        longest_wait=quantile(run.waits, 1),
        starts=run.starts,
        read_pages=sum(wait.pages for wait in run.waits),
        unread_pages=run.unread_pages,
        seconds=run.seconds,
        samples=run.samples,
    )


def quantile(waits: Sequence[Wait], share: float) -> float | None:
    """Return the shortest time within which `share` of the pages were begun; None of no pages."""
    ordered = sorted(waits, key=lambda wait: wait.seconds)
    totals = list(accumulate(wait.pages for wait in ordered))
    if not totals:
        return None
    wanted = math.ceil(share * totals[-1])
    pairs = zip(ordered, totals, strict=True)
    return next(wait.seconds for wait, total in pairs if total >= wanted)

"""How fast pages arrive, from what was counted now and then; a single heap of them is no rate."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from statistics import median
from typing import Final

STEP: Final = timedelta(seconds=20)
"""Time over which one rate is taken."""
RECENT_STEPS: Final = 5
"""Steps that make the present rate, by their median: what arrives at once is seen by the queue."""
EARLIER_STEPS: Final = 10
"""Steps before those, with which they are compared."""
WINDOW: Final = (RECENT_STEPS + EARLIER_STEPS) * STEP
"""How far back counts matter."""


@dataclass(frozen=True)
class Count:
    """How many pages had arrived in all at a time."""

    at: datetime
    pages: float


@dataclass(frozen=True)
class Arrivals:
    """Counts within the window, the latest last."""

    counts: tuple[Count, ...] = ()

    def plus(self, at: datetime, pages: float) -> "Arrivals":
        """Return the counts with another one; the last one before the window stays.

        A total that falls begins anew, as after a restart of who counts.
        """
        if self.counts and (pages < self.counts[-1].pages or at <= self.counts[-1].at):
            return Arrivals((Count(at, pages),))
        counts = (*self.counts, Count(at, pages))
        outside = sum(count.at <= at - WINDOW for count in counts)
        return Arrivals(counts[max(0, outside - 1) :])

    @property
    def pages_per_second(self) -> float:
        """The rate that is certain: of the recent steps or of all, whichever is less.

        What rises for a moment only is no rate, and what has ended is none at once. A rise that
        lasts is seen by the queue first.
        """
        steps = self._rates(0, RECENT_STEPS + EARLIER_STEPS)
        # Steps that were not seen count as quiet ones, or the first heap would be a rate.
        steps += [0.0] * (RECENT_STEPS - len(steps))
        return min(median(steps[:RECENT_STEPS]), median(steps))

    @property
    def growth(self) -> float:
        """How much the rate changes within a second; 0 unless all that is recent shows it."""
        recent = self._rates(0, RECENT_STEPS)
        earlier = self._rates(RECENT_STEPS, RECENT_STEPS + EARLIER_STEPS)
        if len(earlier) < EARLIER_STEPS or min(recent) <= median(earlier):
            return 0.0
        apart = STEP.total_seconds() * (RECENT_STEPS + EARLIER_STEPS) / 2
        return (median(recent) - median(earlier)) / apart

    @property
    def active_at(self) -> datetime | None:
        """When pages arrived last, within the window."""
        return max(
            (new.at for old, new in pairwise(self.counts) if new.pages > old.pages), default=None
        )

    def _rates(self, first: int, last: int) -> list[float]:
        """Return the rates of the steps from `first` until before `last`, the latest is 0."""
        if not self.counts:
            return []
        now, begun = self.counts[-1].at, self.counts[0].at
        marks = [now - STEP * index for index in range(first, last + 1)]
        totals = [_interpolated(self.counts, mark) for mark in marks if mark >= begun]
        seconds = STEP.total_seconds()
        return [(new - old) / seconds for new, old in pairwise(totals)]


def _interpolated(counts: Sequence[Count], at: datetime) -> float:
    """Return the total at `at`, which lies between the first and the last count."""
    for old, new in pairwise(counts):
        if at <= new.at:
            share = (at - old.at) / (new.at - old.at)
            return old.pages + share * (new.pages - old.pages)
    return counts[-1].pages

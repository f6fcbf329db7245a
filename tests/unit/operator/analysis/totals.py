"""Counters for tests of the analysis, and revisions that answer requests by chance."""

import math
import random
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, field

from docparser_operator.analysis.evidence import Totals

BOUNDS = (0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, math.inf)


def timed(*seconds: float) -> Totals:
    """Return the counters after requests that took `seconds`."""
    buckets = tuple((bound, sum(s <= bound for s in seconds)) for bound in BOUNDS)
    return Totals(requests=len(seconds), buckets=buckets, seconds=sum(seconds))


@dataclass
class Revision:
    """A revision of which every request is drawn by chance.

    Its errors and its loops are shares, 0 to 1.
    """

    errors: float = 0.0
    seconds: Callable[[random.Random], float] = lambda _rng: 0.3
    pages: int = 1
    loops: float = 0.0
    counts: list[int] = field(default_factory=lambda: [0] * len(BOUNDS))
    totals: Totals = field(default_factory=Totals)

    def answer(self, rng: random.Random) -> None:
        """Answer one request."""
        seconds = self.seconds(rng)
        for index in range(bisect_left(BOUNDS, seconds), len(BOUNDS)):
            self.counts[index] += 1
        bad = self.pages * (rng.random() < self.loops)
        self.totals += Totals(
            requests=1,
            server_errors=rng.random() < self.errors,
            pages=self.pages,
            repetition=bad,
            truncated=bad,
            seconds=seconds,
        )

    def seen(self) -> Totals:
        """Return the counters."""
        buckets = tuple(zip(BOUNDS, self.counts, strict=True))
        return self.totals + Totals(buckets=buckets)


def lognormal(median: float, sigma: float) -> Callable[[random.Random], float]:
    """Return a distribution of seconds such as that of documents of all lengths."""
    return lambda rng: rng.lognormvariate(math.log(median), sigma)

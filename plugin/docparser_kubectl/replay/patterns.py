"""Traces that are made up: the same seed makes the same documents."""

import math
from collections.abc import Callable, Iterator
from enum import StrEnum
from random import Random
from typing import Final

from docparser_kubectl.errors import Failure
from docparser_kubectl.replay.traces import MOST_DOCUMENTS, Arrival, Trace, trace_of

BUSY: Final = 0.6
"""Pages at the busiest time, as share of what the most pods could read."""
MEAN_PAGES: Final = 6.0
"""Pages of a usual document; lengths are distributed geometrically."""
BOMB_PAGES: Final = 1000
_HOUR: Final = 3600.0


class Pattern(StrEnum):
    """How documents come."""

    STEADY = "steady"
    DIURNAL = "diurnal"
    BURST = "burst"
    BOMBS = "bombs"
    QUIET_NIGHT = "quiet-night"


def generated(pattern: Pattern, capacity: float, seed: int) -> Trace:
    """Return a trace.

    Args:
        pattern: how documents come.
        capacity: pages that the most pods read in a second.
        seed: what is left to chance depends on it alone.

    Raises:
        Failure: these would be too many documents.
    """
    # The words of a seed that is text are hashed the same way by every Python.
    random = Random(f"{pattern}/{seed}")  # noqa: S311 (not a secret)
    hours, rate = _RATES[pattern]
    if hours * _HOUR * BUSY * capacity / MEAN_PAGES > MOST_DOCUMENTS:
        raise Failure(
            f"{pattern} would have more than {MOST_DOCUMENTS:,} documents at 60 % of what these "
            "pods read; try fewer pods, slower ones, or a trace of your own"
        )
    arrivals = list(_documents(random, hours * _HOUR, BUSY * capacity, rate))
    arrivals += _EXTRAS.get(pattern, _nothing)(random, capacity)
    return trace_of(pattern, arrivals, hours * _HOUR)


def _documents(
    random: Random, seconds: float, peak: float, rate: Callable[[float], float]
) -> Iterator[Arrival]:
    """Yield documents at `rate`, a share of `peak` pages a second, for each time."""
    # Arrivals at the peak's rate, of which only the share that is due is kept, are a Poisson
    # process of the changing rate.
    at = 0.0
    while True:
        at += random.expovariate(peak / MEAN_PAGES)
        if at >= seconds:
            return
        pages = 1 + int(math.log(1 - random.random()) / math.log(1 - 1 / MEAN_PAGES))
        if random.random() < rate(at):
            yield Arrival(at, pages)


def _steady(_: float) -> float:
    return 1.0


def _diurnal(at: float) -> float:
    """Return the share at a time of the day: little at 3 in the night, most at 15 o'clock."""
    return 0.52 - 0.48 * math.cos(2 * math.pi * (at / _HOUR - 3) / 24)


def _low(_: float) -> float:
    return 0.15


def _quiet_night(at: float) -> float:
    """Return the share from 18 o'clock to 8: an evening, a night of a few documents, a morning."""
    hour = at / _HOUR
    if hour < 2:  # noqa: PLR2004 (20 o'clock)
        return 0.5 - 0.245 * hour
    return 0.01 if hour < 12 else 0.01 + 0.245 * (hour - 12)  # noqa: PLR2004 (6 o'clock)


def _nothing(_: Random, __: float) -> list[Arrival]:
    return []


def _bursts(random: Random, capacity: float) -> list[Arrival]:
    """Return what comes within two minutes each hour: five minutes' work of the most pods."""
    found = []
    count = max(1, round(300 * capacity / MEAN_PAGES))
    for hour in range(6):
        begin = (hour + 0.25 + 0.5 * random.random()) * _HOUR
        times = [begin + 120 * random.random() for _ in range(count)]
        found += [Arrival(at, round(MEAN_PAGES)) for at in times]
    return found


def _bombs(random: Random, _: float) -> list[Arrival]:
    """Return one document of a thousand pages in each hour."""
    return [Arrival((hour + random.random()) * _HOUR, BOMB_PAGES) for hour in range(8)]


_RATES: Final[dict[Pattern, tuple[float, Callable[[float], float]]]] = {
    Pattern.STEADY: (6, _steady),
    Pattern.DIURNAL: (24, _diurnal),
    Pattern.BURST: (6, _low),
    Pattern.BOMBS: (8, lambda at: 2 * _low(at)),
    Pattern.QUIET_NIGHT: (14, _quiet_night),
}
"""Length in hours, and the rate at each second as share of the busiest."""
_EXTRAS: Final[dict[Pattern, Callable[[Random, float], list[Arrival]]]] = {
    Pattern.BURST: _bursts,
    Pattern.BOMBS: _bombs,
}

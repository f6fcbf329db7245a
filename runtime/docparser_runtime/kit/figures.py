"""Pure: what measurements say. All times are in seconds."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

GOOD_SHARE: Final = 0.95
"""Share of the best pages/s that is as good as the best."""
MOST_SLOWDOWN: Final = 2.0
"""Slowdown at which waiting costs more than it brings, as a multiple of that of one client."""
LEAST_GROWTH: Final = 1.05
"""What doubling the clients must bring at least, else more of them are not tried."""


@dataclass(frozen=True)
class Work:
    """What an answer tells of the engine's work; all is zero or empty where it tells nothing.

    Attributes:
        tiers: pages by the tier at which they were read.
    """

    vision_tokens: int = 0
    generated_tokens: int = 0
    tiers: Mapping[str, int] = field(default_factory=dict)
    lowered_pages: int = 0
    cut_off_pages: int = 0


@dataclass(frozen=True)
class Request:
    """A request that was answered with a document's text.

    Attributes:
        name: file that was read.
        began: when it was sent, on the clock of the measurement.
        ended: when its answer had come.
    """

    name: str
    pages: int
    began: float
    ended: float
    work: Work = field(default_factory=Work)

    @property
    def seconds(self) -> float:
        """How long it took."""
        return self.ended - self.began


@dataclass(frozen=True)
class Latency:
    """Times of requests."""

    requests: int
    p50_seconds: float
    p99_seconds: float


@dataclass(frozen=True)
class Level:
    """What a number of clients got.

    Attributes:
        p99_slowdown: 99th percentile of the requests' times, each as a multiple of the time that
            the same document took alone. It compares levels that read other mixtures. 0 when
            nothing was answered.
        refused: requests that the service was too busy for.
        failed: requests that ended otherwise without a text.
    """

    clients: int
    pages_per_second: float
    latency: Latency | None
    p99_slowdown: float
    refused: int = 0
    failed: int = 0

    @property
    def is_clean(self) -> bool:
        """Whether every request was answered."""
        return self.latency is not None and not self.refused and not self.failed


@dataclass(frozen=True)
class Recommendation:
    """How many clients to let ask at the same time.

    Attributes:
        reaches_best: whether they get `GOOD_SHARE` of the best pages/s; where no number of
            clients does so without too long waits, this is the fastest one without.
    """

    clients: int
    reaches_best: bool


def percentile(values: Sequence[float], percent: float) -> float:
    """Return the least value that `percent` of all values do not exceed (nearest rank).

    Raises:
        ValueError: there are no values.
    """
    if not values:
        raise ValueError("no values have no percentile")
    rank = math.ceil(len(values) * percent / 100)
    return sorted(values)[max(rank, 1) - 1]


def latency(requests: Sequence[Request]) -> Latency | None:
    """Return the times of `requests`; None when there are none."""
    times = [request.seconds for request in requests]
    if not times:
        return None
    return Latency(len(times), percentile(times, 50), percentile(times, 99))


def pages_per_second(requests: Sequence[Request], began: float, ended: float) -> float:
    """Return the pages that were read between two moments, per second.

    Of a request that began before or ended after, the pages count in proportion: else the last
    ones, which keep fewer clients busy, would make every service look slower than it is.
    """
    pages = 0.0
    for request in requests:
        inside = min(request.ended, ended) - max(request.began, began)
        if inside > 0:
            pages += request.pages * inside / request.seconds
    return pages / (ended - began)


def level(
    clients: int,
    requests: Sequence[Request],
    window: tuple[float, float],
    alone_seconds: Mapping[str, float],
    *,
    refused: int = 0,
    failed: int = 0,
) -> Level:
    """Return what `clients` got, from all requests that they began within the window."""
    slowdowns = [request.seconds / alone_seconds[request.name] for request in requests]
    return Level(
        clients,
        pages_per_second(requests, *window),
        latency(requests),
        percentile(slowdowns, 99) if slowdowns else 0.0,
        refused,
        failed,
    )


def grows(levels: Sequence[Level]) -> bool:
    """Return whether more clients than in the last of `levels` may get more."""
    *before, last = levels
    if not last.is_clean:
        return False
    best = max((one.pages_per_second for one in before), default=0.0)
    return last.pages_per_second >= best * LEAST_GROWTH


def recommendation(levels: Sequence[Level]) -> Recommendation | None:
    """Return the least number of clients with nearly the best pages/s and short waits.

    The first of `levels` is that of one client. None when it did not get every answer.
    """
    if not levels or not levels[0].is_clean:
        return None
    best = max(one.pages_per_second for one in levels)
    limit = MOST_SLOWDOWN * levels[0].p99_slowdown
    quick = [one for one in levels if one.is_clean and one.p99_slowdown < limit]
    for one in quick:
        if one.pages_per_second >= GOOD_SHARE * best:
            return Recommendation(one.clients, reaches_best=True)
    fastest = max(quick, key=lambda one: one.pages_per_second)
    return Recommendation(fastest.clients, reaches_best=False)

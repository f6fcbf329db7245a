"""What the pods of two revisions have counted since a comparison began."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

Buckets = tuple[tuple[float, int], ...]
"""Upper bound in seconds and how many requests took no longer; the last bound is infinite."""


@dataclass(frozen=True)
class Totals:
    """Counters of one pod, or of several together; all about the route that reads documents.

    Attributes:
        requests: requests that were not turned away for lack of room.
        server_errors: those of them that ended in a server error.
        buckets: how long requests took; empty where nothing was measured.
        seconds: the sum of these times.
        pages: pages that were read.
        repetition: pages in which the model repeated itself.
        truncated: pages that were cut off.
    """

    requests: int = 0
    server_errors: int = 0
    buckets: Buckets = ()
    pages: int = 0
    repetition: int = 0
    truncated: int = 0
    seconds: float = 0.0

    def __add__(self, other: "Totals") -> "Totals":
        return self._combined(other, 1)

    def __sub__(self, earlier: "Totals") -> "Totals":
        return self._combined(earlier, -1)

    @property
    def timed(self) -> int:
        """Number of requests whose time is known."""
        return self.buckets[-1][1] if self.buckets else 0

    def is_before(self, other: "Totals") -> bool:
        """Return whether `other` can be a later state of the same process's counters."""
        bounds = dict(other.buckets)
        later = ((count, bounds.get(bound, 0)) for bound, count in self.buckets)
        scalars = zip(_scalars(self), _scalars(other), strict=True)
        return all(mine <= its for mine, its in (*scalars, *later))

    def _combined(self, other: "Totals", sign: int) -> "Totals":
        return Totals(
            requests=self.requests + sign * other.requests,
            server_errors=self.server_errors + sign * other.server_errors,
            buckets=_combined(self.buckets, other.buckets, sign),
            pages=self.pages + sign * other.pages,
            repetition=self.repetition + sign * other.repetition,
            truncated=self.truncated + sign * other.truncated,
            seconds=self.seconds + sign * other.seconds,
        )


@dataclass(frozen=True)
class Evidence:
    """What is known about two revisions.

    Attributes:
        canary: counters of the new revision.
        stable: counters of the serving revision over the same time.
        queries: latest answer of each PromQL query by its name; None where there was none.
        seconds: length of that time.
    """

    EMPTY: ClassVar["Evidence"]

    canary: Totals = Totals()
    stable: Totals = Totals()
    queries: Mapping[str, float | None] = field(default_factory=dict)
    seconds: float = 0.0


Evidence.EMPTY = Evidence()


def _scalars(totals: Totals) -> tuple[float, ...]:
    return (
        totals.requests,
        totals.server_errors,
        totals.pages,
        totals.repetition,
        totals.truncated,
        totals.seconds,
    )


def _combined(first: Buckets, second: Buckets, sign: int) -> Buckets:
    """Return the sum or difference, at the bounds that both know: there it is exact."""
    if not second:
        return first
    if not first:
        return tuple((bound, sign * count) for bound, count in second)
    other = dict(second)
    return tuple((bound, count + sign * other[bound]) for bound, count in first if bound in other)

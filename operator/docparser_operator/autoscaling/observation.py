"""What the readings of all pods amount to over time: demand, and what a busy pod reads."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from docparser_operator.autoscaling.arrivals import Arrivals
from docparser_operator.autoscaling.readings import Reading
from docparser_operator.autoscaling.values import Demand

HALF_LIFE_SECONDS: Final = 1800.0
"""Time of busy pods after which what they read counts half."""
LEAST_BUSY_SECONDS: Final = 20.0
"""Time of busy pods from which it is known what one reads."""
LEAST_BUSY_PAGES: Final = 3.0
"""Pages from which it is."""
FORGIVEN_SECONDS: Final = 600.0
"""Time in which pages that vanished, such as those of tasks that were cancelled, are forgotten."""


@dataclass(frozen=True)
class Observation:
    """What is known of the load of one DocParserDeployment.

    Attributes:
        at: when the pods were looked at last.
        readings: what each of them said, by uid.
        is_shared: whether all have one queue, of which each of them tells.
        read: pages that were read since the first look.
        seen: the most that has been read, waits, or was refused at any time, less what vanished.
        arrivals: pages that have arrived, over time.
        busy_pages: pages that were read by busy pods; older ones count less.
        busy_seconds: the time which that took them, likewise.
    """

    at: datetime
    readings: Mapping[str, Reading]
    is_shared: bool = False
    read: float = 0.0
    seen: float = 0.0
    arrivals: Arrivals = field(default_factory=Arrivals)
    busy_pages: float = 0.0
    busy_seconds: float = 0.0

    @property
    def pages_per_second(self) -> float | None:
        """What one busy pod reads; None until that was measured."""
        if self.busy_seconds < LEAST_BUSY_SECONDS or self.busy_pages < LEAST_BUSY_PAGES:
            return None
        return self.busy_pages / self.busy_seconds

    @property
    def vram_used(self) -> float | None:
        """Share of the planned GPU memory, of the fullest pod."""
        shares = [r.vram_used for r in self.readings.values() if r.vram_used is not None]
        return max(shares, default=None)

    @property
    def demand(self) -> Demand:
        """What there is to do."""
        readings, size = self.readings.values(), _document_pages(self.readings)
        jobs, pages = self._total("running_jobs"), self._total("running_pages")
        others = max(0.0, sum(r.running for r in readings) - jobs)
        return Demand(
            queued_pages=self._queued(),
            running_pages=pages + others * size,
            oldest_wait_seconds=max((r.oldest_seconds for r in readings), default=0.0),
            arrival_pages_per_second=self.arrivals.pages_per_second,
            measured_at=self.at,
            arrival_growth=self.arrivals.growth,
            active_at=self.arrivals.active_at,
        )

    @property
    def remaining(self) -> dict[str, float]:
        """Pages that each pod has left to read, by uid.

        Of tasks in a queue that all share nobody tells the pages of each pod, so they count as
        documents do.
        """
        size = _document_pages(self.readings)
        return {uid: self._remaining(one, size) for uid, one in self.readings.items()}

    def _remaining(self, one: Reading, size: float) -> float:
        if self.is_shared:
            return (one.waiting + one.running) * size
        others = one.waiting + max(0.0, one.running - one.running_jobs)
        return one.queued_pages + one.running_pages + others * size

    def after(self, readings: Mapping[str, Reading], at: datetime) -> "Observation":
        """Return what is known after another look at `at`, which is later than the last one."""
        seconds = (at - self.at).total_seconds()
        pairs = [(self.readings[uid], new) for uid, new in readings.items() if uid in self.readings]
        done = sum(_risen(old.pages, new.pages) for old, new in pairs)
        refused = sum(_risen(old.refused, new.refused) for old, new in pairs)
        size = _document_pages(readings)
        now = Observation(at, readings, self.is_shared, read=self.read + done)
        busy = [pair for pair in pairs if self._is_busy(*pair, queued=now._queued())]
        fade = 0.5 ** (seconds * len(busy) / HALF_LIFE_SECONDS)
        risen = now.read + now._queued() - self.seen
        # Whoever is refused asks again, so that refusals may at most double what was read.
        arrived = max(0.0, risen) + min(refused * size, max(done, size))
        vanished = max(0.0, -risen) * min(1.0, seconds / FORGIVEN_SECONDS)
        total = self.arrivals.counts[-1].pages if self.arrivals.counts else 0.0
        return Observation(
            at=at,
            readings=readings,
            is_shared=self.is_shared,
            read=now.read,
            seen=self.seen + max(0.0, risen) - vanished,
            arrivals=self.arrivals.plus(at, total + arrived),
            busy_pages=fade * self.busy_pages + sum(_risen(o.pages, n.pages) for o, n in busy),
            busy_seconds=fade * self.busy_seconds + seconds * len(busy),
        )

    def _is_busy(self, old: Reading, new: Reading, *, queued: float) -> bool:
        """Return whether a pod had something to read all the time; a gateway reads nothing."""
        if self.is_shared:
            return self._queued() > 0 and queued > 0 and new.pages > 0
        return old.is_saturated and new.is_saturated

    def _queued(self) -> float:
        waiting = sum(reading.waiting for reading in self.readings.values())
        return self._total("queued_pages") + waiting * _document_pages(self.readings)

    def _total(self, name: str) -> float:
        """Return an attribute of all queues."""
        values = [float(getattr(reading, name)) for reading in self.readings.values()]
        return max(values, default=0.0) if self.is_shared else sum(values)


def first_observation(
    readings: Mapping[str, Reading], at: datetime, *, is_shared: bool
) -> Observation:
    """Return what is known after the first look: what waits now has not just arrived."""
    begun = Observation(at, readings, is_shared)
    waiting = begun.demand.queued_pages
    arrivals = Arrivals().plus(at - timedelta(seconds=1), 0.0).plus(at, 0.0)
    return Observation(at, readings, is_shared, seen=waiting, arrivals=arrivals)


def _risen(old: float, new: float) -> float:
    """Return by how much a counter has risen; one that fell began anew."""
    return new - old if new >= old else new


def _document_pages(readings: Mapping[str, Reading]) -> float:
    """Return the pages of a document, by those that were read."""
    pages = sum(reading.pages for reading in readings.values())
    documents = sum(reading.documents for reading in readings.values())
    return max(1.0, pages / documents) if documents else 1.0

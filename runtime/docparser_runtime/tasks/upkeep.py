"""What some process has to do now and then, so that the queue and the store stay in order."""

import asyncio
import itertools
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from docparser_runtime.errors import DocParserError
from docparser_runtime.logs import Log
from docparser_runtime.queue.base import Queue, Submitting
from docparser_runtime.queue.values import Backlog, State
from docparser_runtime.storage.base import ObjectStore
from docparser_runtime.storage.sweeping import Sweeper
from docparser_runtime.task_errors import Poison
from docparser_runtime.task_metrics import TaskMetrics
from docparser_runtime.tasks.shedding import Shedding
from docparser_runtime.tasks.tracks import Tracks

_REAPS_PER_LEASE: Final = 6
"""Often enough that the queue does not take the silence for an outage of the database."""
_EXPIRED_AT_ONCE: Final = 100
_ADOPTED_AT_ONCE: Final = 500
_TURNS_PER_SWEEP: Final = 50
_NO_VERSION: Final = -2
_GONE: Final = -1


@dataclass(frozen=True)
class Upkeep:
    """Takes jobs from silent workers, deletes what is over, and counts what waits.

    Jobs that wait for a track which nobody reads any more get another one.
    """

    queue: Queue
    store: ObjectStore
    sweeper: Sweeper
    metrics: TaskMetrics
    shedding: Shedding
    tracks: Tracks
    lease_seconds: float
    log: Log

    async def run(self) -> None:
        """Go on until cancelled."""
        for number in itertools.count():
            try:
                await self.turn()
                if number % _TURNS_PER_SWEEP == 0:
                    await self.sweeper.sweep()
            except DocParserError as error:
                self.log.warning("upkeep_failed", code=error.code)
            await asyncio.sleep(self.lease_seconds / _REAPS_PER_LEASE)

    async def turn(self) -> None:
        """Do once what is due all the time."""
        reaped = await self.queue.reap()
        if reaped:
            self.metrics.reaped.inc(len(reaped))
            self.metrics.ended.labels(Poison.code).inc(reaped.count(State.DEAD))
            self.log.warning("tasks_reaped", count=len(reaped))
        for job_id in await self.queue.expire(_EXPIRED_AT_ONCE):
            await self.store.delete_prefix(f"{job_id}/")
        backlog = await self.queue.backlog()
        self.metrics.show_backlog(backlog)
        self.shedding.note(backlog)
        await self._adopt(backlog)

    async def _adopt(self, backlog: Sequence[Backlog]) -> None:
        """Give jobs whose track is not in the split any more a track that is."""
        if not self.tracks.adopts:
            return
        known = self.tracks.shares
        strays = sum(one.queued_jobs for one in backlog if one.track not in known)
        given = [self.tracks.next() for _ in range(min(strays, _ADOPTED_AT_ONCE))]
        moved = await self.queue.retrack(known, given) if given else 0
        if moved:
            self.metrics.retracked.inc(moved)
            self.log.info("tasks_retracked", count=moved)


async def known_jobs(queue: Submitting, ids: Collection[str]) -> Collection[str]:
    """Return those of `ids` that the queue knows."""
    versions = await queue.changes(dict.fromkeys(ids, _NO_VERSION))
    return [job_id for job_id, version in versions.items() if version != _GONE]

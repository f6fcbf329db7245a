"""Builders for tests of the queue, and time that passes at once."""

import itertools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

from docparser_runtime.queue.schema import JOBS, SWEEPER, TOMBSTONES
from docparser_runtime.queue.sql import SqlQueue
from docparser_runtime.queue.values import Claim, Job, NewJob, Priority, Rules
from sqlalchemy import Connection, update

RULES = Rules(
    max_queued_pages=1000,
    max_queued_pages_per_tenant=None,
    max_running_per_tenant=None,
    lease_seconds=10.0,
    max_crashes=3,
    retention_seconds=3600.0,
)
TRACK = "stable"
_numbers = itertools.count()


def a_job(**changes: Any) -> NewJob:
    """Return a job with an id of its own."""
    job = NewJob(
        id=f"job-{next(_numbers)}",
        tenant="ann",
        priority=Priority.NORMAL,
        track=TRACK,
        pages=1,
        payload={"version": 1, "text": "ü"},
        body_sha256="body",
    )
    return replace(job, **changes)


def page(index: int) -> tuple[int, str, str]:
    """Return what is saved of a page."""
    return index, f"object-{index}", f"digest-{index}"


@dataclass(frozen=True)
class QueueBench:
    """An empty queue at an address, which may be opened several times."""

    address: str

    @asynccontextmanager
    async def opened(self, **rules: Any) -> AsyncIterator[SqlQueue]:
        """Yield the queue with rules that differ from `RULES` so."""
        queue = await SqlQueue.open(self.address, replace(RULES, **rules))
        try:
            yield queue
        finally:
            await queue.close()


async def claimed(queue: SqlQueue, *, alone: bool = True, track: str = TRACK) -> Claim:
    """Return a claim; there must be a job for it."""
    claim = await queue.claim({track}, alone=alone)
    assert claim is not None
    return claim


async def told(queue: SqlQueue, job_id: str, tenant: str = "ann") -> Job:
    """Return the job as it stands; it must be there."""
    job = await queue.get(job_id, tenant)
    assert job is not None
    return job


async def pass_time(queue: SqlQueue, seconds: float) -> None:
    """Let time pass with nobody looking, as when the database or all workers are away.

    All times that the database holds are moved into the past.
    """
    await queue._database.write(lambda connection: _age(connection, seconds, seconds))


async def pass_watched_time(queue: SqlQueue, seconds: float) -> None:
    """Let time pass while somebody looked for silent workers again and again."""
    await queue.reap()
    await queue._database.write(lambda connection: _age(connection, seconds, 0.0))


def _age(connection: Connection, seconds: float, unwatched: float) -> None:
    times = [column for column in JOBS.c if column.name.endswith("_at")]
    connection.execute(update(JOBS).values({column: column - seconds for column in times}))
    buried = TOMBSTONES.c.expired_at
    connection.execute(update(TOMBSTONES).values(expired_at=buried - seconds))
    connection.execute(
        update(SWEEPER).values(
            healthy_since=SWEEPER.c.healthy_since - seconds,
            beat_at=SWEEPER.c.beat_at - unwatched,
        )
    )


async def crash(queue: SqlQueue) -> int:
    """Let the leases of all that run end; return how many jobs were taken from their workers."""
    await pass_watched_time(queue, 1000)
    return len(await queue.reap())

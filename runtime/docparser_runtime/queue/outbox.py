"""Callbacks beside the jobs whose end they tell, and gone with them.

A callback is due because its job has ended, however that came about: by a worker, by a client, or
because no worker survived it. So no rule that ends a job has to think of callbacks.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from enum import StrEnum
from functools import partial

from sqlalchemy import Connection, Select, literal, select, update

from docparser_runtime.callbacks.base import Due
from docparser_runtime.queue.database import Database
from docparser_runtime.queue.schema import (
    CALLBACKS,
    IS_WAITING,
    JOBS,
    Now,
    insert_if_absent,
)
from docparser_runtime.queue.values import State


class Standing(StrEnum):
    """Where a callback stands. Only the first is ever looked for."""

    WAITING = "waiting"
    DELIVERED = "delivered"
    FAILED = "failed"


class SqlOutbox:
    """An `Outbox` in the database of the queue. See `callbacks/base.py` for what it promises."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, job_id: str, url: str) -> None:  # noqa: D102 (see base.py)
        await self._database.write(lambda connection: add(connection, job_id, url))

    async def due(self, limit: int, lease_seconds: float) -> Sequence[Due]:  # noqa: D102
        # A look takes no lock; most of the time it finds nothing.
        if not await self._database.read(_is_any_due):
            return ()
        return await self._database.write(lambda connection: due(connection, limit, lease_seconds))

    async def delivered(self, due: Due) -> None:  # noqa: D102
        await self._database.write(partial(settle, due=due, standing=Standing.DELIVERED))

    async def failed(self, due: Due, retry_seconds: float | None) -> None:  # noqa: D102
        if retry_seconds is None:
            await self._database.write(partial(settle, due=due, standing=Standing.FAILED))
        else:
            await self._database.write(partial(postpone, due=due, seconds=retry_seconds))


def add(connection: Connection, job_id: str, url: str) -> None:
    """Note where the end of the job is to be told, unless that is noted already."""
    row = select(
        JOBS.c.seq, literal(url), literal(Standing.WAITING.value), literal(0), Now()
    ).where(JOBS.c.id == job_id)
    connection.execute(
        insert_if_absent(connection, CALLBACKS)
        .from_select(["job", "url", "state", "attempts", "next_at"], row)
        .on_conflict_do_nothing()
    )


def due(connection: Connection, limit: int, lease_seconds: float) -> Sequence[Due]:
    """Return at most `limit` callbacks that are due, and keep them from others for a while."""
    ready = _ready(limit).with_for_update(skip_locked=True, of=CALLBACKS)
    jobs = connection.execute(ready).scalars().all()
    if not jobs:
        return ()
    taken = update(CALLBACKS).where(CALLBACKS.c.job.in_(jobs))
    connection.execute(
        taken.values(attempts=CALLBACKS.c.attempts + 1, next_at=Now() + lease_seconds)
    )
    found = connection.execute(
        select(
            *(JOBS.c.id, CALLBACKS.c.url, JOBS.c.state, JOBS.c.failure_code, JOBS.c.finished_at),
            *(CALLBACKS.c.attempts, (Now() - JOBS.c.finished_at).label("elapsed")),
        )
        .join(JOBS, JOBS.c.seq == CALLBACKS.c.job)
        .where(CALLBACKS.c.job.in_(jobs))
        .order_by(JOBS.c.finished_at)
    )
    return [
        Due(
            job_id=row.id,
            url=row.url,
            state=State(row.state),
            failure_code=row.failure_code,
            finished_at=datetime.fromtimestamp(row.finished_at, UTC),
            attempts=row.attempts,
            elapsed_seconds=max(0.0, row.elapsed),
        )
        for row in found
    ]


def settle(connection: Connection, due: Due, standing: Standing) -> None:
    """Note that nothing more is to be tried."""
    _note(connection, due, {"state": standing.value})


def postpone(connection: Connection, due: Due, seconds: float) -> None:
    """Note that it is to be tried after that time."""
    _note(connection, due, {"next_at": Now() + seconds})


def rearm(connection: Connection, job: int) -> None:
    """Let the next end of a job, by its `seq`, be told like its first."""
    connection.execute(
        update(CALLBACKS)
        .where(CALLBACKS.c.job == job)
        .values(state=Standing.WAITING.value, attempts=0, next_at=Now())
    )


def _note(connection: Connection, due: Due, values: dict[str, object]) -> None:
    job = select(JOBS.c.seq).where(JOBS.c.id == due.job_id).scalar_subquery()
    # Who took longer than its lease has nothing to say: somebody else has the callback by now.
    connection.execute(
        update(CALLBACKS)
        .where(CALLBACKS.c.job == job, IS_WAITING, CALLBACKS.c.attempts == due.attempts)
        .values(values)
    )


def _is_any_due(connection: Connection) -> bool:
    return connection.execute(_ready(1)).first() is not None


def _ready(limit: int) -> Select[tuple[int]]:
    """Return a query for waiting callbacks of ended jobs whose time has come."""
    return (
        select(CALLBACKS.c.job)
        .join(JOBS, JOBS.c.seq == CALLBACKS.c.job)
        .where(IS_WAITING, CALLBACKS.c.next_at <= Now(), JOBS.c.finished_at.is_not(None))
        .order_by(CALLBACKS.c.next_at)
        .limit(limit)
    )

"""What the queue tells: each answer is one statement."""

from collections.abc import Mapping, Sequence

from sqlalchemy import Connection, and_, case, func, or_, select

from docparser_runtime.queue import rows
from docparser_runtime.queue.schema import (
    IS_LIVE,
    IS_QUEUED,
    JOBS,
    PAGES,
    TOMBSTONES,
    Now,
)
from docparser_runtime.queue.values import Backlog, Job, SavedPage, State

_MOST_IDS = 1000
"""Ids that one statement compares."""


def get(connection: Connection, job_id: str, tenant: str) -> Job | None:
    """Return the tenant's job."""
    row = connection.execute(
        select(*rows.JOB_COLUMNS).where(JOBS.c.id == job_id, JOBS.c.tenant == tenant)
    ).one_or_none()
    return None if row is None else rows.job(row)


def is_expired(connection: Connection, job_id: str, tenant: str) -> bool:
    """Return whether the tenant had such a job, which was forgotten."""
    found = select(TOMBSTONES.c.id).where(TOMBSTONES.c.id == job_id, TOMBSTONES.c.tenant == tenant)
    return connection.execute(found).first() is not None


def ahead(connection: Connection, job_id: str) -> int:
    """Return how many queued jobs of the track come before this queued one."""
    this = JOBS.alias("this")
    queued = select(this).where(this.c.id == job_id, this.c.state == "queued").subquery()
    before = or_(
        JOBS.c.priority > queued.c.priority,
        and_(JOBS.c.priority == queued.c.priority, JOBS.c.seq < queued.c.seq),
    )
    counted = select(func.count()).where(IS_QUEUED, JOBS.c.track == queued.c.track, before)
    return int(connection.execute(counted).scalar_one())


def jobs(connection: Connection, tenant: str, after: str | None, limit: int) -> Sequence[Job]:
    """Return the tenant's jobs, newest first, those older than `after` only."""
    found = select(*rows.JOB_COLUMNS).where(JOBS.c.tenant == tenant)
    if after is not None:
        # Also after a job that expired since the last look: there may be older ones.
        last = [
            select(table.c.seq).where(table.c.id == after, table.c.tenant == tenant)
            for table in (JOBS, TOMBSTONES)
        ]
        found = found.where(JOBS.c.seq < func.coalesce(*(seq.scalar_subquery() for seq in last)))
    newest = found.order_by(JOBS.c.seq.desc()).limit(limit)
    return [rows.job(row) for row in connection.execute(newest)]


def pages(connection: Connection, job_id: str, since: int) -> Sequence[SavedPage]:
    """Return the saved pages whose order is `since` or more."""
    found = (
        select(PAGES.c.page, PAGES.c.ref, PAGES.c.sha256, PAGES.c.position)
        .join(JOBS, JOBS.c.seq == PAGES.c.job)
        .where(JOBS.c.id == job_id, PAGES.c.position >= since)
        .order_by(PAGES.c.position)
    )
    return [SavedPage(*row) for row in connection.execute(found)]


def backlog(connection: Connection) -> Sequence[Backlog]:
    """Return how much waits and runs on each track that has jobs."""
    is_queued = IS_QUEUED
    queued_pages = func.sum(case((is_queued, JOBS.c.pages), else_=0))
    queued_jobs = func.sum(case((is_queued, 1), else_=0))
    oldest = func.min(case((is_queued, JOBS.c.queued_at), else_=None))
    found = (
        select(
            JOBS.c.track,
            queued_jobs.label("queued_jobs"),
            queued_pages.label("queued_pages"),
            (func.count() - queued_jobs).label("running_jobs"),
            (func.sum(JOBS.c.pages) - queued_pages).label("running_pages"),
            func.coalesce(Now() - oldest, 0.0).label("oldest_seconds"),
        )
        .where(IS_LIVE)
        .group_by(JOBS.c.track)
        .order_by(JOBS.c.track)
    )
    return [
        Backlog(
            row.track,
            int(row.queued_jobs),
            int(row.queued_pages),
            int(row.running_jobs),
            int(row.running_pages),
            max(0.0, float(row.oldest_seconds)),
        )
        for row in connection.execute(found)
    ]


def alone_wait_seconds(connection: Connection, track: str, from_crashes: int) -> float:
    """Return how long a job has waited for a worker that is alone; 0 when none does."""
    oldest = select(func.coalesce(Now() - func.min(JOBS.c.queued_at), 0.0)).where(
        IS_QUEUED, JOBS.c.track == track, JOBS.c.crashes >= from_crashes
    )
    return max(0.0, float(connection.execute(oldest).scalar_one()))


def pages_per_second(connection: Connection, seconds: float) -> float:
    """Return how fast pages of jobs were read that were done within the last so many seconds."""
    counted = select(func.coalesce(func.sum(JOBS.c.pages), 0)).where(
        JOBS.c.state == State.DONE.value, JOBS.c.finished_at > Now() - seconds
    )
    return float(connection.execute(counted).scalar_one()) / seconds


def changes(connection: Connection, since: Mapping[str, int]) -> dict[str, int]:
    """Return the versions that differ from those of `since`; -1 for jobs that are gone."""
    versions: dict[str, int] = {}
    ids = list(since)
    for first in range(0, len(ids), _MOST_IDS):
        part = ids[first : first + _MOST_IDS]
        found = select(JOBS.c.id, JOBS.c.version).where(JOBS.c.id.in_(part))
        versions.update((row.id, row.version) for row in connection.execute(found))
    current = {job_id: versions.get(job_id, -1) for job_id in ids}
    return {job_id: version for job_id, version in current.items() if version != since[job_id]}

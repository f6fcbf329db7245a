"""Between the tables and what the queue speaks of."""

import json
from datetime import UTC, datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, Row, bindparam, func, literal_column, select, update

from docparser_runtime.queue.schema import IS_RUNNING, JOBS, PAGES, Now
from docparser_runtime.queue.values import Claim, Failure, Job, Priority, State

# A subquery of one step in the index, so that the number can never differ from the rows.
_PAGES_DONE = (
    select(func.coalesce(func.max(PAGES.c.position) + 1, 0))
    .where(PAGES.c.job == JOBS.c.seq)
    .scalar_subquery()
)
_COLUMNS: tuple[ColumnElement[Any], ...] = (
    *(JOBS.c.seq, JOBS.c.id, JOBS.c.tenant, JOBS.c.priority, JOBS.c.track, JOBS.c.state),
    *(JOBS.c.pages, JOBS.c.payload, JOBS.c.body_sha256, JOBS.c.crashes, JOBS.c.cancel),
    *(JOBS.c.result, JOBS.c.failure_code, JOBS.c.failure_detail),
    *(JOBS.c.created_at, JOBS.c.started_at, JOBS.c.finished_at, JOBS.c.expires_at),
)
JOB_COLUMNS = (*_COLUMNS, _PAGES_DONE.label("pages_done"))
"""What `job` needs. Named one by one: a newer release may have added columns."""
NEW_JOB_COLUMNS = (*_COLUMNS, literal_column("0").label("pages_done"))
"""The same of a job that is being inserted."""


def job(row: Row[Any]) -> Job:
    """Return the job of a row of `JOB_COLUMNS`."""
    failure = None
    if row.failure_code is not None:
        failure = Failure(row.failure_code, row.failure_detail)
    created_at = _time(row.created_at)
    assert created_at is not None  # noqa: S101 (the column is NOT NULL)
    return Job(
        id=row.id,
        tenant=row.tenant,
        priority=Priority(row.priority),
        track=row.track,
        state=State(row.state),
        pages=row.pages,
        pages_done=row.pages_done,
        payload=json.loads(row.payload),
        result=None if row.result is None else json.loads(row.result),
        failure=failure,
        crashes=row.crashes,
        created_at=created_at,
        started_at=_time(row.started_at),
        finished_at=_time(row.finished_at),
        expires_at=_time(row.expires_at),
    )


WRITE_OF_CLAIM: Final = (
    update(JOBS)
    .where(
        JOBS.c.id == bindparam("claim_job"), JOBS.c.owner == bindparam("claim_owner"), IS_RUNNING
    )
    .values(version=JOBS.c.version + 1)
)
"""An UPDATE of a claim's job, which does nothing once the claim is lost. Executed with `named`."""


def named(claim: Claim) -> dict[str, object]:
    """Return the parameters that name a claim in a statement."""
    return {"claim_job": claim.job.id, "claim_owner": claim.owner}


def ended(state: State | ColumnElement[str], retention_seconds: float) -> dict[Any, Any]:
    """Return the values of a job that has ended now."""
    return {
        JOBS.c.state: state if isinstance(state, ColumnElement) else state.value,
        JOBS.c.finished_at: Now(),
        JOBS.c.expires_at: Now() + retention_seconds,
    }


def _time(seconds: float | None) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)

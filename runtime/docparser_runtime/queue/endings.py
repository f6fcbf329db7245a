"""How jobs end, stop or begin again because somebody says so."""

import json
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row, case, delete, null, select, update

from docparser_runtime.queue import claims, outbox, rows
from docparser_runtime.queue.base import LostClaim
from docparser_runtime.queue.schema import IS_LIVE, IS_QUEUED, JOBS, PAGES, Now
from docparser_runtime.queue.values import Claim, Failure, Job, Rules, State


def finish(
    connection: Connection,
    claim: Claim,
    result: dict[str, object],
    pages: Sequence[tuple[int, str, str]],
    rules: Rules,
) -> State:
    """End the job as done, with its last pages; return as what it ended."""
    if pages and _ended_as(connection, claim, State.DONE) is None:
        claims.save_pages(connection, claim, pages)
    return _end(connection, claim, State.DONE, rules, {JOBS.c.result: json.dumps(result)})


def fail(connection: Connection, claim: Claim, failure: Failure, rules: Rules) -> State:
    """End the job as failed; return as what it ended."""
    reason = {JOBS.c.failure_code: failure.code, JOBS.c.failure_detail: failure.detail}
    return _end(connection, claim, State.FAILED, rules, reason)


def _end(
    connection: Connection, claim: Claim, state: State, rules: Rules, outcome: dict[Any, str]
) -> State:
    # Whoever was told that the job is cancelled never sees it end in another way.
    end_state = case((JOBS.c.cancel, State.CANCELLED.value), else_=state.value)
    values = {column: case((JOBS.c.cancel, null()), else_=text) for column, text in outcome.items()}
    end = rows.WRITE_OF_CLAIM.values(rows.ended(end_state, rules.retention_seconds) | values)
    row = connection.execute(end.returning(JOBS.c.state), rows.named(claim)).one_or_none()
    # The owner stays, so that who did not hear the answer can ask again.
    ended = _ended_as(connection, claim, state) if row is None else State(row.state)
    if ended is None:
        raise LostClaim
    return ended


def _ended_as(connection: Connection, claim: Claim, state: State) -> State | None:
    """Return as what this claim has ended the job, where it meant `state`; None if it has not."""
    ends = (state.value, State.CANCELLED.value)
    by_us = select(JOBS.c.state).where(
        JOBS.c.id == claim.job.id, JOBS.c.owner == claim.owner, JOBS.c.state.in_(ends)
    )
    ended = connection.execute(by_us).scalar()
    return None if ended is None else State(ended)


def release(connection: Connection, claim: Claim, rules: Rules) -> None:
    """Give the job back: queued again, or cancelled if that was asked."""
    given_back = rows.WRITE_OF_CLAIM.values(owner=None, beat_at=None, **_stopped(rules))
    if connection.execute(given_back, rows.named(claim)).rowcount == 0:
        raise LostClaim


def _stopped(rules: Rules) -> dict[str, object]:
    return {
        "state": case((JOBS.c.cancel, State.CANCELLED.value), else_=State.QUEUED.value),
        "queued_at": case((JOBS.c.cancel, JOBS.c.queued_at), else_=Now()),
        "finished_at": case((JOBS.c.cancel, Now()), else_=None),
        "expires_at": case((JOBS.c.cancel, Now() + rules.retention_seconds), else_=None),
    }


def cancel(connection: Connection, job_id: str, tenant: str, rules: Rules) -> Job | None:
    """Cancel a queued job; ask for it with a running one. None: the tenant has no such job."""
    mine = (JOBS.c.id == job_id) & (JOBS.c.tenant == tenant)
    row = connection.execute(
        update(JOBS)
        .where(mine, IS_LIVE)
        .values(
            cancel=True,
            state=case((IS_QUEUED, State.CANCELLED.value), else_=JOBS.c.state),
            finished_at=case((IS_QUEUED, Now()), else_=None),
            expires_at=case((IS_QUEUED, Now() + rules.retention_seconds), else_=None),
            version=JOBS.c.version + 1,
        )
        .returning(*rows.JOB_COLUMNS)
    ).one_or_none()
    if row is None:
        row = connection.execute(select(*rows.JOB_COLUMNS).where(mine)).one_or_none()
    return None if row is None else rows.job(row)


def requeue(connection: Connection, job_id: str) -> Job | None:
    """Queue a job that is dead or failed once more; None when there is none such."""
    row = _queued_again(connection, job_id, State.DEAD, State.FAILED)
    return None if row is None else rows.job(row)


def rerun(connection: Connection, job_id: str) -> Job | None:
    """Queue a job that is done, dead or failed without its pages; return it as it now stands."""
    row = _queued_again(connection, job_id, State.DONE, State.DEAD, State.FAILED)
    if row is not None:
        connection.execute(delete(PAGES).where(PAGES.c.job == row.seq))
    now = select(*rows.JOB_COLUMNS).where(JOBS.c.id == job_id)
    row = connection.execute(now).one_or_none()
    return None if row is None else rows.job(row)


def _queued_again(connection: Connection, job_id: str, *ended: State) -> Row[Any] | None:
    forgotten = ("owner", "beat_at", "result", "failure_code", "failure_detail")
    row = connection.execute(
        update(JOBS)
        .where(JOBS.c.id == job_id, JOBS.c.state.in_([state.value for state in ended]))
        .values(dict.fromkeys((*forgotten, "finished_at", "expires_at")))
        .values(
            state=State.QUEUED.value,
            cancel=False,
            crashes=0,
            queued_at=Now(),
            version=JOBS.c.version + 1,
        )
        .returning(*rows.JOB_COLUMNS)
    ).one_or_none()
    if row is not None:
        outbox.rearm(connection, row.seq)
    return row

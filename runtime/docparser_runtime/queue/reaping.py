"""How jobs come back from silent workers, and go when their time is over."""

from collections.abc import Sequence

from sqlalchemy import (
    ColumnElement,
    Connection,
    and_,
    case,
    delete,
    func,
    insert,
    or_,
    select,
    update,
)

from docparser_runtime.queue.locks import Lock
from docparser_runtime.queue.schema import (
    HAS_WORKER,
    JOBS,
    SWEEPER,
    TOMBSTONES,
    Now,
    insert_if_absent,
)
from docparser_runtime.queue.values import Rules, State
from docparser_runtime.task_errors import Poison

_GAP_OF_LEASE = 0.5
"""Part of a lease after which, with nobody looking, the database is held to have been away.

A worker gives a sign of life each fifth of its lease. After a gap shorter than this the time that
is left to it is enough to do so again.
"""
_TOMBSTONE_SECONDS = 30 * 86_400
"""How long an expired id is told from one that never was."""


def reap(connection: Connection, rules: Rules) -> Sequence[State]:
    """Take jobs from workers that are silent; return the state that each is in now."""
    if not _is_free(connection):
        return ()
    _note_health(connection, rules)
    healthy_since = select(SWEEPER.c.healthy_since).scalar_subquery()
    silent_from = JOBS.c.beat_at + JOBS.c.lease_seconds
    taken = connection.execute(
        update(JOBS)
        .where(
            HAS_WORKER,
            # A sign of life from the future: the clock was set back. Nobody waits until then.
            or_(silent_from < Now(), JOBS.c.beat_at > Now() + JOBS.c.lease_seconds),
            # Each had a whole lease of a database that answers to give a sign of life.
            healthy_since + JOBS.c.lease_seconds <= Now(),
        )
        .values(_after_crash(rules))
        .returning(JOBS.c.state)
    )
    return [State(row.state) for row in taken]


def _is_free(connection: Connection) -> bool:
    """Return whether nobody else reaps at the moment; on SQLite nobody can."""
    if connection.dialect.name != "postgresql":
        return True
    return bool(
        connection.execute(select(func.pg_try_advisory_xact_lock(Lock.REAP.value))).scalar()
    )


def _note_health(connection: Connection, rules: Rules) -> None:
    """Note that the database answers, and since when it has done so without a gap.

    A clock that jumps looks like a gap, and so takes no job from anybody either.
    """
    gap = Now() - SWEEPER.c.beat_at
    unbroken = and_(gap >= 0, gap <= rules.lease_seconds * _GAP_OF_LEASE)
    noted = connection.execute(
        update(SWEEPER).values(
            beat_at=Now(), healthy_since=case((unbroken, SWEEPER.c.healthy_since), else_=Now())
        )
    )
    if noted.rowcount == 0:
        connection.execute(insert(SWEEPER).values(id=1, beat_at=Now(), healthy_since=Now()))


def _after_crash(rules: Rules) -> dict[str, ColumnElement[object] | None]:
    is_poison = and_(~JOBS.c.cancel, JOBS.c.crashes + 1 >= rules.max_crashes)
    is_over = or_(JOBS.c.cancel, is_poison)
    ended = {State.CANCELLED.value: JOBS.c.cancel, State.DEAD.value: is_poison}
    return {
        "crashes": JOBS.c.crashes + 1,
        "state": case(
            *((condition, state) for state, condition in ended.items()), else_=State.QUEUED.value
        ),
        "failure_code": case((is_poison, Poison.code), else_=None),
        "failure_detail": case((is_poison, _detail(rules)), else_=None),
        "queued_at": case((is_over, JOBS.c.queued_at), else_=Now()),
        "finished_at": case((is_over, Now()), else_=None),
        "expires_at": case((is_over, Now() + rules.retention_seconds), else_=None),
        "owner": None,
        "beat_at": None,
        "version": JOBS.c.version + 1,
    }


def _detail(rules: Rules) -> str:
    return f"a worker ended {rules.max_crashes} times over this document without a page of progress"


def expire(connection: Connection, limit: int) -> Sequence[str]:
    """Forget at most `limit` jobs whose time is over; return their ids."""
    over = (
        select(JOBS.c.seq, JOBS.c.id, JOBS.c.tenant)
        .where(JOBS.c.expires_at.is_not(None), JOBS.c.expires_at < Now())
        .order_by(JOBS.c.expires_at)
        .limit(limit)
        .with_for_update(skip_locked=True)
    )
    found = connection.execute(over).all()
    connection.execute(
        delete(TOMBSTONES).where(TOMBSTONES.c.expired_at < Now() - _TOMBSTONE_SECONDS)
    )
    if found:
        seqs = [row.seq for row in found]
        buried = select(JOBS.c.id, JOBS.c.seq, JOBS.c.tenant, Now()).where(JOBS.c.seq.in_(seqs))
        connection.execute(
            insert_if_absent(connection, TOMBSTONES)
            .from_select(["id", "seq", "tenant", "expired_at"], buried)
            .on_conflict_do_nothing()
        )
        connection.execute(delete(JOBS).where(JOBS.c.seq.in_(seqs)))
    return [row.id for row in found]

"""How jobs come into the queue: within its limits, and once per idempotency key."""

import json
from dataclasses import replace
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Integer,
    Text,
    and_,
    bindparam,
    func,
    insert,
    or_,
    select,
)
from sqlalchemy.sql.dml import ReturningInsert
from sqlalchemy.sql.selectable import ScalarSelect

from docparser_runtime.queue import rows
from docparser_runtime.queue.locks import Lock, take
from docparser_runtime.queue.schema import IS_LIVE, JOBS, PAGES, Now, insert_if_absent
from docparser_runtime.queue.values import Job, NewJob, Rules, State
from docparser_runtime.task_errors import IdempotencyKeyReused, TaskQueueFull, TenantLimit


def submit(connection: Connection, new: NewJob, rules: Rules) -> Job:
    """Insert the job unless it came before or finds no room.

    Raises:
        IdempotencyKeyReused: the tenant used the key for another body.
        TaskQueueFull: the queue has no room.
        TenantLimit: the tenant's part of it has none.
    """
    take(Lock.SUBMIT, connection)
    row = connection.execute(_insert(connection, new, rules)).one_or_none()
    if row is not None:
        _save(connection, new)
        return replace(rows.job(row), pages_done=len(new.saved))
    earlier = _earlier(connection, new)
    if earlier is not None:
        return earlier
    check_room(connection, new.tenant, new.pages, rules)
    raise TaskQueueFull("the queue was full a moment ago; please try again")


def _save(connection: Connection, new: NewJob) -> None:
    """Note the pages that the new job has already."""
    if new.saved:
        seq = connection.execute(select(JOBS.c.seq).where(JOBS.c.id == new.id)).scalar_one()
        connection.execute(
            insert(PAGES),
            [
                {"job": seq, "position": position, "page": page, "ref": ref, "sha256": sha256}
                for position, (page, ref, sha256) in enumerate(new.saved)
            ],
        )


def check_room(connection: Connection, tenant: str, pages: int, rules: Rules) -> None:
    """Return when so many pages of the tenant have room. Raises as `submit` does."""
    total, own = connection.execute(select(_load(), _load(tenant))).one()
    most = rules.max_queued_pages
    if total + pages > most:
        raise TaskQueueFull(f"{total} of at most {most} pages wait; {pages} more have no room")
    most_own = rules.max_queued_pages_per_tenant
    if most_own is not None and own + pages > most_own:
        raise TenantLimit(
            f"{own} of at most {most_own} pages of yours wait; {pages} more have no room"
        )


def _load(tenant: str | None = None) -> ScalarSelect[int]:
    counted = select(func.coalesce(func.sum(JOBS.c.pages), 0)).where(IS_LIVE)
    if tenant is not None:
        counted = counted.where(JOBS.c.tenant == tenant)
    # Inside an INSERT it would else count the row that is to be inserted, not the table.
    return counted.correlate(None).scalar_subquery()


def _insert(connection: Connection, new: NewJob, rules: Rules) -> ReturningInsert[Any]:
    values: dict[str, ColumnElement[Any]] = {
        "id": _text(new.id),
        "tenant": _text(new.tenant),
        "priority": _number(new.priority),
        "track": _text(new.track),
        "state": _text(State.QUEUED.value),
        "pages": _number(new.pages),
        "payload": _text(json.dumps(new.payload)),
        "body_sha256": _text(new.body_sha256),
        "idempotency_key": _text(new.idempotency_key),
        "created_at": Now(),
        "queued_at": Now(),
    }
    candidate = select(*values.values()).where(_load() + new.pages <= rules.max_queued_pages)
    if rules.max_queued_pages_per_tenant is not None:
        own = _load(new.tenant) + new.pages
        candidate = candidate.where(own <= rules.max_queued_pages_per_tenant)
    return (
        insert_if_absent(connection, JOBS)
        .from_select(list(values), candidate)
        .on_conflict_do_nothing()
        .returning(*rows.NEW_JOB_COLUMNS)
    )


def _text(value: str | None) -> ColumnElement[Any]:
    return bindparam(None, value, Text)


def _number(value: int) -> ColumnElement[Any]:
    return bindparam(None, int(value), Integer)


def _earlier(connection: Connection, new: NewJob) -> Job | None:
    same = JOBS.c.id == new.id
    if new.idempotency_key is not None:
        same_key = and_(JOBS.c.tenant == new.tenant, JOBS.c.idempotency_key == new.idempotency_key)
        same = or_(same, same_key)
    found = connection.execute(select(*rows.JOB_COLUMNS).where(same)).first()
    if found is None:
        return None
    if found.body_sha256 != new.body_sha256 or found.tenant != new.tenant:
        raise IdempotencyKeyReused("this Idempotency-Key came before, with another request")
    return rows.job(found)

"""How workers come to jobs, and keep them."""

from collections.abc import Collection, Sequence
from typing import Final

from sqlalchemy import (
    CompoundSelect,
    Connection,
    Select,
    bindparam,
    delete,
    func,
    insert,
    select,
    union_all,
    update,
)

from docparser_runtime.queue import rows
from docparser_runtime.queue.base import LostClaim
from docparser_runtime.queue.locks import Lock, take
from docparser_runtime.queue.schema import (
    HAS_WORKER,
    IS_QUEUED,
    IS_RUNNING,
    JOBS,
    PAGES,
    Now,
)
from docparser_runtime.queue.values import Claim, Pulse, Rules, State

# Statements that are made once: to build one takes longer than to run it.
_FENCE: Final = rows.WRITE_OF_CLAIM.values(beat_at=Now()).returning(JOBS.c.seq, JOBS.c.crashes)
_INSERT: Final = insert(PAGES)


def claim(
    connection: Connection, tracks: Collection[str], owner: str, rules: Rules, *, alone: bool
) -> Claim | None:
    """Give the next job of these tracks to the owner; None when there is none."""
    if rules.max_running_per_tenant is not None:
        # Two that count at the same time would both find room.
        take(Lock.CLAIM, connection)
    next_job = _next(tracks, rules, alone=alone).scalar_subquery()
    row = connection.execute(
        update(JOBS)
        .where(JOBS.c.seq == next_job, IS_QUEUED)
        .values(
            state=State.RUNNING.value,
            owner=owner,
            beat_at=Now(),
            lease_seconds=rules.lease_seconds,
            started_at=func.coalesce(JOBS.c.started_at, Now()),
            version=JOBS.c.version + 1,
        )
        .returning(*rows.JOB_COLUMNS)
    ).one_or_none()
    if row is None:
        return None
    job = rows.job(row)
    saved = _saved(connection, row.seq) if job.pages_done else frozenset[int]()
    return Claim(job, owner, saved, is_exclusive=row.crashes >= rules.alone_from_crashes)


def _next(tracks: Collection[str], rules: Rules, *, alone: bool) -> Select[tuple[int]]:
    candidates = select(JOBS.c.seq).where(IS_QUEUED)
    # With one track the index has the order that is asked for; with several it must be sorted.
    names = sorted(tracks)
    candidates = candidates.where(
        JOBS.c.track == names[0] if len(names) == 1 else JOBS.c.track.in_(names)
    )
    if not alone:
        candidates = candidates.where(JOBS.c.crashes < rules.alone_from_crashes)
    if rules.max_running_per_tenant is not None:
        busy = (
            select(JOBS.c.tenant)
            .where(HAS_WORKER)
            .group_by(JOBS.c.tenant)
            .having(func.count() >= rules.max_running_per_tenant)
        )
        candidates = candidates.where(JOBS.c.tenant.not_in(busy))
    first = candidates.order_by(JOBS.c.priority.desc(), JOBS.c.seq).limit(1)
    return first.with_for_update(skip_locked=True)


def _saved(connection: Connection, seq: int) -> frozenset[int]:
    return frozenset(connection.execute(select(PAGES.c.page).where(PAGES.c.job == seq)).scalars())


def pulse(connection: Connection, owners: Collection[str], rules: Rules) -> Pulse:
    """Renew the leases of these owners, and tell which are lost or cancelled.

    The jobs' versions stay: nobody can see the difference.
    """
    found = connection.execute(
        update(JOBS)
        .where(JOBS.c.owner.in_(list(owners)), IS_RUNNING)
        .values(beat_at=Now(), lease_seconds=rules.lease_seconds)
        .returning(JOBS.c.owner, JOBS.c.cancel)
    ).all()
    return Pulse(
        lost=frozenset(owners) - {row.owner for row in found},
        cancelled=frozenset(row.owner for row in found if row.cancel),
    )


def save_pages(connection: Connection, claim: Claim, pages: Sequence[tuple[int, str, str]]) -> None:
    """Insert those of the pages (index, ref, sha256) that are not there.

    Raises:
        LostClaim: somebody else has the job.
    """
    # The fence comes first: its lock makes the positions below ours alone.
    job = connection.execute(_FENCE, rows.named(claim)).one_or_none()
    if job is None:
        raise LostClaim
    unique = {page[0]: page for page in pages}
    known, first = _known(connection, job.seq, list(unique))
    fresh = [page for index, page in unique.items() if index not in known]
    if not fresh:
        return
    if job.crashes:
        connection.execute(update(JOBS).where(JOBS.c.seq == job.seq).values(crashes=0))
    connection.execute(
        _INSERT,
        [
            {"job": job.seq, "position": first + n, "page": index, "ref": ref, "sha256": sha256}
            for n, (index, ref, sha256) in enumerate(fresh)
        ],
    )


def forget_pages(connection: Connection, claim: Claim) -> None:
    """Delete all pages of the job. Raises as `save_pages` does."""
    job = connection.execute(_FENCE, rows.named(claim)).one_or_none()
    if job is None:
        raise LostClaim
    connection.execute(delete(PAGES).where(PAGES.c.job == job.seq))


def _statement_of_known() -> CompoundSelect[tuple[int, int]]:
    """Return the saved ones of some pages, and the page with the last position."""
    saved = select(PAGES.c.page, PAGES.c.position).where(PAGES.c.job == bindparam("job_seq"))
    last = saved.order_by(PAGES.c.position.desc()).limit(1).subquery()
    # Two steps in two indexes; with OR all pages of the job would be looked at.
    return union_all(
        saved.where(PAGES.c.page.in_(bindparam("some_pages", expanding=True))),
        select(last.c.page, last.c.position),
    )


_KNOWN: Final = _statement_of_known()


def _known(connection: Connection, seq: int, pages: Sequence[int]) -> tuple[frozenset[int], int]:
    """Return which of the pages are saved, and the next free position."""
    found = connection.execute(_KNOWN, {"job_seq": seq, "some_pages": pages}).all()
    next_free = max((row.position + 1 for row in found), default=0)
    return frozenset(row.page for row in found), next_free

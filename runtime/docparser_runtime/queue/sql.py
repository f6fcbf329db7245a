"""The queue: rules of the modules beside this one, on SQLite or PostgreSQL."""

import uuid
from collections.abc import Collection, Sequence
from typing import Self

from docparser_runtime.queue import claims, endings, reading, reaping, retracking, submission
from docparser_runtime.queue.addresses import database_url
from docparser_runtime.queue.changes import Kind
from docparser_runtime.queue.database import Database
from docparser_runtime.queue.migrating import migrate
from docparser_runtime.queue.outbox import SqlOutbox
from docparser_runtime.queue.postgres import PostgresDatabase
from docparser_runtime.queue.sqlite import SqliteDatabase
from docparser_runtime.queue.values import (
    Backlog,
    Claim,
    Failure,
    Job,
    NewJob,
    Pulse,
    Rules,
    SavedPage,
    State,
)


class SqlQueue:
    """A `Queue` in a database. See `base.py` for what the methods promise."""

    def __init__(self, database: Database, rules: Rules) -> None:
        self._database = database
        self._rules = rules

    @classmethod
    async def open(cls, address: str, rules: Rules) -> Self:
        """Open the queue at `postgresql://…` or `sqlite:////PATH`; its tables are made if need be.

        Raises:
            QueueUnusable: the address, the file or the tables need mending first.
            QueueUnavailable: the database does not answer.
        """
        url = database_url(address)
        if url.drivername == "sqlite":
            return cls(await SqliteDatabase.open(url, migrate), rules)
        return cls(await PostgresDatabase.open(url, migrate), rules)

    async def close(self) -> None:
        """Finish what was begun, and free what it took."""
        await self._database.close()

    @property
    def outbox(self) -> SqlOutbox:
        """Callbacks of the jobs of this queue. Not to be used once it is closed."""
        return SqlOutbox(self._database)

    async def submit(self, job: NewJob) -> Job:  # noqa: D102 (see base.py)
        submitted = await self._database.write(
            lambda connection: submission.submit(connection, job, self._rules), shared=True
        )
        self._database.tell(*Kind)
        return submitted

    async def check_room(self, tenant: str, pages: int = 1) -> None:  # noqa: D102
        await self._database.read(
            lambda connection: submission.check_room(connection, tenant, pages, self._rules)
        )

    async def get(self, job_id: str, tenant: str) -> Job | None:  # noqa: D102
        return await self._database.read(lambda c: reading.get(c, job_id, tenant))

    async def is_expired(self, job_id: str, tenant: str) -> bool:  # noqa: D102
        return await self._database.read(lambda c: reading.is_expired(c, job_id, tenant))

    async def ahead(self, job_id: str) -> int:  # noqa: D102
        return await self._database.read(lambda c: reading.ahead(c, job_id))

    async def list(self, tenant: str, after: str | None, limit: int) -> Sequence[Job]:  # noqa: D102
        return await self._database.read(lambda c: reading.jobs(c, tenant, after, limit))

    async def pages(self, job_id: str, since: int = 0) -> Sequence[SavedPage]:  # noqa: D102
        return await self._database.read(lambda c: reading.pages(c, job_id, since))

    async def cancel(self, job_id: str, tenant: str) -> Job | None:  # noqa: D102
        job = await self._database.write(lambda c: endings.cancel(c, job_id, tenant, self._rules))
        self._database.tell(Kind.PROGRESS)
        return job

    async def requeue(self, job_id: str) -> Job | None:  # noqa: D102
        job = await self._database.write(lambda c: endings.requeue(c, job_id))
        self._database.tell(*Kind)
        return job

    async def rerun(self, job_id: str) -> Job | None:  # noqa: D102
        job = await self._database.write(lambda c: endings.rerun(c, job_id))
        self._database.tell(*Kind)
        return job

    async def backlog(self) -> Sequence[Backlog]:  # noqa: D102
        return await self._database.read(reading.backlog)

    async def pages_per_second(self, seconds: float) -> float:  # noqa: D102
        return await self._database.read(lambda c: reading.pages_per_second(c, seconds))

    async def changes(self, since: dict[str, int]) -> dict[str, int]:  # noqa: D102
        return await self._database.read(lambda c: reading.changes(c, since))

    async def claim(self, tracks: Collection[str], *, alone: bool) -> Claim | None:  # noqa: D102
        owner = uuid.uuid4().hex
        claim = await self._database.write(
            lambda c: claims.claim(c, tracks, owner, self._rules, alone=alone)
        )
        if claim is not None:
            self._database.tell(Kind.PROGRESS)
        return claim

    async def pulse(self, owners: Collection[str]) -> Pulse:  # noqa: D102
        return await self._database.write(lambda c: claims.pulse(c, owners, self._rules))

    async def save_pages(  # noqa: D102
        self, claim: Claim, pages: Sequence[tuple[int, str, str]]
    ) -> None:
        await self._database.write(lambda c: claims.save_pages(c, claim, pages))
        self._database.tell(Kind.PROGRESS)

    async def forget_pages(self, claim: Claim) -> None:  # noqa: D102
        await self._database.write(lambda c: claims.forget_pages(c, claim))
        self._database.tell(Kind.PROGRESS)

    async def finish(  # noqa: D102
        self,
        claim: Claim,
        result: dict[str, object],
        pages: Sequence[tuple[int, str, str]] = (),
    ) -> State:
        ended = await self._database.write(
            lambda c: endings.finish(c, claim, result, pages, self._rules)
        )
        self._tell_of_end()
        return ended

    async def fail(self, claim: Claim, failure: Failure) -> State:  # noqa: D102
        ended = await self._database.write(lambda c: endings.fail(c, claim, failure, self._rules))
        self._tell_of_end()
        return ended

    async def release(self, claim: Claim) -> None:  # noqa: D102
        await self._database.write(lambda c: endings.release(c, claim, self._rules))
        self._database.tell(*Kind)

    async def alone_wait_seconds(self, track: str) -> float:  # noqa: D102
        crashes = self._rules.alone_from_crashes
        return await self._database.read(lambda c: reading.alone_wait_seconds(c, track, crashes))

    async def wait_for_work(  # noqa: D102
        self, timeout_seconds: float, heard: int | None = None
    ) -> int:
        return await self._database.changes.wait(Kind.WORK, timeout_seconds, heard)

    async def wait_for_change(  # noqa: D102
        self, timeout_seconds: float, heard: int | None = None
    ) -> int:
        return await self._database.changes.wait(Kind.PROGRESS, timeout_seconds, heard)

    async def reap(self) -> Sequence[State]:  # noqa: D102
        taken = await self._database.write(lambda c: reaping.reap(c, self._rules))
        if taken:
            self._database.tell(*Kind)
        return taken

    async def retrack(self, known: Collection[str], tracks: Sequence[str]) -> int:  # noqa: D102
        moved = await self._database.write(lambda c: retracking.retrack(c, known, tracks))
        if moved:
            self._database.tell(*Kind)
        return moved

    async def expire(self, limit: int) -> Sequence[str]:  # noqa: D102
        gone = await self._database.write(lambda c: reaping.expire(c, limit))
        if gone:
            self._database.tell(Kind.PROGRESS)
        return gone

    def _tell_of_end(self) -> None:
        # Where tenants have limits, the end of a job lets another one begin.
        limited = self._rules.max_running_per_tenant is not None
        self._database.tell(*(Kind if limited else (Kind.PROGRESS,)))

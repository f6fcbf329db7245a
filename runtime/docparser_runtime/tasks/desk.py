"""Answers what clients ask about their tasks."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final

from docparser_runtime.drafts import Delta
from docparser_runtime.errors import NotAcceptable
from docparser_runtime.queue.base import Queue
from docparser_runtime.queue.values import Job, SavedPage, State
from docparser_runtime.schemas import PageBody
from docparser_runtime.searchable import SearchablePdfs, check_single
from docparser_runtime.storage.base import ObjectDamaged, ObjectMissing, ObjectStore
from docparser_runtime.task_errors import (
    LinkUnavailable,
    ResultCorrupt,
    TaskCancelled,
    TaskEnded,
    TaskExpired,
    TaskNotDone,
    TaskNotFound,
)
from docparser_runtime.task_schemas import ResultLink, TaskBody, TaskList
from docparser_runtime.tasks import failures
from docparser_runtime.tasks import payload as payloads
from docparser_runtime.tasks.bodies import task_body
from docparser_runtime.tasks.drafts import Follower
from docparser_runtime.tasks.ids import is_id
from docparser_runtime.tasks.payload import StoredDocument
from docparser_runtime.tasks.results import form_of
from docparser_runtime.tasks.saver import pages_of
from docparser_runtime.tasks.stored_pages import StoredPages
from docparser_runtime.tasks.watch import JobWatch

_RETRY_SECONDS: Final = "5"
_LOOK_SECONDS: Final = 1.0
"""Longest time between two looks at a task whose events somebody follows."""


@dataclass(frozen=True)
class PageRead:
    """A page that was read. `number` counts the pages in the order in which they were, from 1."""

    number: int
    page: PageBody


@dataclass(frozen=True)
class Ended:
    """The task has ended."""

    job: Job


Happening = TaskBody | PageRead | Delta | Ended | None


class TaskDesk:
    """Knows tasks by the name of their tenant only."""

    def __init__(self, queue: Queue, store: ObjectStore, watch: JobWatch) -> None:
        self._queue = queue
        self._store = store
        self._watch = watch

    async def job(self, job_id: str, tenant: str) -> Job:
        """Return the job.

        Raises:
            TaskExpired: it is over, and longer than results are kept.
            TaskNotFound: this tenant has never had such a task.
        """
        job = await self._queue.get(job_id, tenant) if is_id(job_id) else None
        if job is not None:
            return job
        if is_id(job_id) and await self._queue.is_expired(job_id, tenant):
            raise TaskExpired("The task and its result have been deleted, as its time was over.")
        raise TaskNotFound("You have no task of this name.")

    async def body(self, job: Job) -> TaskBody:
        """Return what is shown of `job`."""
        waits = job.state is State.QUEUED
        return task_body(job, await self._queue.ahead(job.id) if waits else None)

    async def list(self, tenant: str, after: str | None, limit: int) -> TaskList:
        """Return one page of the tenant's tasks."""
        known = after is None or is_id(after)
        jobs = await self._queue.list(tenant, after, limit + 1) if known else ()
        shown = jobs[:limit]
        bodies = [await self.body(job) for job in shown]
        return TaskList(tasks=tuple(bodies), next=shown[-1].id if len(jobs) > limit else None)

    async def ended(self, job_id: str, tenant: str, wait_seconds: float) -> Job:
        """Return the job once it has ended, or as it stands after this time."""
        clock = asyncio.get_running_loop().time
        deadline = clock() + wait_seconds
        async with self._watch.of(job_id) as news:
            job = await self.job(job_id, tenant)
            while not job.state.is_final and (left := deadline - clock()) > 0:
                await news.wait(left)
                job = await self.job(job_id, tenant)
        return job

    async def cancel(self, job_id: str, tenant: str) -> Job:
        """Cancel a task and return it; a running one ends within a moment.

        Raises:
            TaskEnded: it has ended otherwise.
        """
        before = await self.job(job_id, tenant)
        job = await self._queue.cancel(job_id, tenant) or await self.job(job_id, tenant)
        # It may have ended otherwise between the two.
        if before.state.is_final or job.state not in (State.RUNNING, State.CANCELLED):
            raise TaskEnded("The task has ended already.")
        return job

    async def result(self, job: Job, media_type: str) -> AsyncIterator[bytes]:
        """Return the result of a task that has ended, in pieces.

        Raises:
            DocParserError: there is none, and why.
        """
        raise_unless_done(job)
        stored = form_of(job.result or {}, media_type)
        async with self._mended(job):
            if stored is not None:
                return await self._store.stream(*stored)
            # Whatever is wrong with the pages is found before the answer begins.
            return await _begun(await self._text(job, media_type))

    async def link(self, job: Job, media_type: str) -> ResultLink:
        """Return a link to the result of a task that has ended.

        Raises:
            LinkUnavailable: it has none in this form.
            DocParserError: there is no result, and why.
        """
        raise_unless_done(job)
        stored = form_of(job.result or {}, media_type)
        if stored is not None and (link := await self._store.link(stored[0])) is not None:
            return ResultLink(
                url=link.url, media_type=media_type, sha256=stored[1], expires_at=link.expires_at
            )
        raise LinkUnavailable("There is no link to this form of the result; ask for the form.")

    async def searchable(self, job: Job, pdfs: SearchablePdfs) -> bytes:
        """Return the document of a task that has ended as a PDF with its text.

        Raises:
            NotAcceptable: it cannot be one, or is gone.
            DocParserError: there is none, and why.
        """
        raise_unless_done(job)
        documents = payloads.loaded(job.payload).documents
        check_single(len(documents))
        async with self._mended(job):
            pages = StoredPages(self._store, await self._queue.pages(job.id))
            return await pdfs.pdf(lambda: self._upload(documents[0]), pages.bodies())

    @asynccontextmanager
    async def _mended(self, job: Job) -> AsyncIterator[None]:
        """Have a task run again if what is stored of its result is damaged."""
        try:
            yield
        except (ObjectMissing, ObjectDamaged):
            await self._queue.rerun(job.id)
            raise ResultCorrupt(
                "The stored result was damaged; the task is being run again.",
                headers={"Retry-After": _RETRY_SECONDS},
            ) from None

    async def _upload(self, document: StoredDocument) -> bytes:
        try:
            return await self._store.get(document.ref, document.sha256)
        except (ObjectMissing, ObjectDamaged):
            # What was read is whole and comes in every other form.
            raise NotAcceptable("The document of this task is gone; its text is not.") from None

    async def _text(self, job: Job, form: str) -> AsyncIterator[bytes]:
        options = payloads.loaded(job.payload).options
        pages = StoredPages(self._store, await self._queue.pages(job.id))
        return pages.text(form, options)

    async def happenings(
        self, job_id: str, tenant: str, since: int
    ) -> AsyncGenerator[Happening, None]:
        """Yield what happens to a task from its page `since` on, until it has ended.

        Yields None now and then while nothing happens.
        """
        shown: TaskBody | None = None
        follower = Follower(self._store, job_id)
        async with self._watch.of(job_id) as news:
            while True:
                job = await self.job(job_id, tenant)
                body = await self.body(job)
                if body != shown:
                    yield body
                    shown = body
                for saved in await self._queue.pages(job_id, since):
                    follower.read(saved.index)
                    yield PageRead(saved.order + 1, await self._page(job, saved))
                    since = saved.order + 1
                if job.state.is_final:
                    yield Ended(job)
                    return
                if payloads.has_text(job.payload):
                    for delta in await follower.deltas():
                        yield delta
                    await news.wait(follower.pause_seconds)
                else:
                    await news.wait(_LOOK_SECONDS)
                yield None

    async def _page(self, job: Job, saved: SavedPage) -> PageBody:
        async with self._mended(job):
            pages = pages_of(await self._store.get(saved.ref, saved.sha256))
        return next(page for page in pages if page.index == saved.index)


async def _begun(pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Return `pieces`, the first of which has been made."""
    first = await anext(pieces)

    async def whole() -> AsyncIterator[bytes]:
        yield first
        async for piece in pieces:
            yield piece

    return whole()


def raise_unless_done(job: Job) -> None:
    """Return when the job has a result.

    Raises:
        DocParserError: it has not: its own failure, or that it is not over.
    """
    match job.state:
        case State.QUEUED | State.RUNNING:
            raise TaskNotDone("The task has not ended yet; wait for it or ask again later.")
        case State.CANCELLED:
            raise TaskCancelled("The task was cancelled.")
        case State.FAILED | State.DEAD:
            raise failures.error_of(job.failure)

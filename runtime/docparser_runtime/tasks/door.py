"""Accepts documents: counts their pages, stores them, and queues a job.

In this order, so that a job which is queued can be worked on; what is stored for nothing is swept
away. An encrypted document is stored without its encryption, so that its password is needed here
and now only.
"""

import asyncio
import contextlib
import hashlib
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from docparser_runtime.documents.base import DocumentReader
from docparser_runtime.engine.traits import Traits
from docparser_runtime.errors import DocParserError
from docparser_runtime.queue.base import Submitting
from docparser_runtime.queue.values import Job, NewJob
from docparser_runtime.reading import Readable, readable, source_of
from docparser_runtime.schemas import PageBody
from docparser_runtime.storage.base import ObjectStore
from docparser_runtime.task_errors import (
    IdempotencyKeyReused,
    QueueUnavailable,
    TaskQueueFull,
    TenantLimit,
)
from docparser_runtime.task_schemas import TaskOptions
from docparser_runtime.tasks import payload as payloads
from docparser_runtime.tasks.bodies import priority_of
from docparser_runtime.tasks.callbacks import Callbacks
from docparser_runtime.tasks.ids import new_id
from docparser_runtime.tasks.pace import Pace
from docparser_runtime.tasks.payload import Payload, StoredDocument
from docparser_runtime.tasks.saver import content_of
from docparser_runtime.tasks.tracks import Tracks
from docparser_runtime.tracing import spans


@dataclass(frozen=True)
class Submission:
    """What a client hands in.

    Attributes:
        documents: one document, or one image per page, in order.
        idempotency_key: makes a repetition safe; None when the client sent none.
        pages: pages that have been read already.
        with_text: whether the client follows the text of the pages as it is written.
    """

    tenant: str
    documents: Sequence[bytes]
    options: TaskOptions
    idempotency_key: str | None
    pages: Sequence[PageBody] = ()
    with_text: bool = False


@dataclass(frozen=True)
class Terms:
    """On which terms documents are accepted.

    Attributes:
        tracks: gives the track whose workers read one of them.
        pace: tells how fast they are read.
        traits: what requests may ask of their engine.
    """

    tracks: Tracks
    pace: Pace
    max_pages: int
    traits: Traits


class TaskDoor:
    """Where documents come in."""

    def __init__(
        self,
        queue: Submitting,
        store: ObjectStore,
        reader: DocumentReader,
        callbacks: Callbacks,
        terms: Terms,
    ) -> None:
        self._queue = queue
        self._store = store
        self._reader = reader
        self._callbacks = callbacks
        self._terms = terms

    async def check_room(self, tenant: str, size_bytes: int) -> None:
        """Return when a document of this size could be accepted; asked before it is read.

        Raises:
            DocParserError: queue or store is full, or does not answer.
        """
        async with self._refusals():
            await self._queue.check_room(tenant)
        await self._store.check_room(size_bytes)

    async def submit(self, submission: Submission) -> Job:
        """Return the job, once it is safe; an earlier one if this is a repetition.

        Raises:
            DocParserError: the document cannot be opened, or cannot be accepted.
        """
        options = submission.options
        if options.callback_url is not None:
            await self._callbacks.check(options.callback_url)
        source = source_of(submission.documents, options, self._terms.traits)
        found = await readable(self._reader, source, self._terms.max_pages)
        job_id = new_id()
        try:
            new = await self._new_job(job_id, submission, found)
        except BaseException:
            await self._forget(job_id)
            raise
        job = await self._queued(new)
        if options.callback_url is not None:
            await self._callbacks.add(job.id, options.callback_url)
        return job

    async def until_read(self) -> dict[str, str]:
        """Return the header that tells when a document that was accepted now will have been read.

        Empty while the queue does not answer.
        """
        with contextlib.suppress(QueueUnavailable):
            return await self._terms.pace.until_read()
        return {}

    async def _queued(self, new: NewJob) -> Job:
        """Queue the job. Who leaves meanwhile leaves no work behind that nobody could ask for."""
        submitting = asyncio.create_task(self._submitted(new))
        try:
            return await asyncio.shield(submitting)
        except asyncio.CancelledError:
            await asyncio.gather(submitting, return_exceptions=True)
            if new.idempotency_key is None:
                with contextlib.suppress(DocParserError):
                    await self._queue.cancel(new.id, new.tenant)
            raise

    async def _submitted(self, new: NewJob) -> Job:
        """Queue the job. Its documents go when it is refused or there was one before.

        Where nobody knows whether it was queued they stay: it may have been, and a repetition of
        the request is told so.
        """
        try:
            async with self._refusals():
                job = await self._queue.submit(new)
        except (IdempotencyKeyReused, TaskQueueFull, TenantLimit):
            await self._forget(new.id)
            raise
        if job.id != new.id:
            await self._forget(new.id)
        return job

    @asynccontextmanager
    async def _refusals(self) -> AsyncIterator[None]:
        """Tell those who find no room when to come again."""
        try:
            yield
        except (TaskQueueFull, TenantLimit) as error:
            error.headers |= await self._terms.pace.retry_after()
            raise

    async def _new_job(self, job_id: str, submission: Submission, found: Readable) -> NewJob:
        """Store the documents, and return the job that names them."""
        stored = []
        for number, document in enumerate(found.documents):
            await self._store.check_room(len(document))
            stored.append(await self._store.put(f"{job_id}/upload/{number}", document))
        payload = Payload(
            documents=tuple(StoredDocument(ref=one.name, sha256=one.sha256) for one in stored),
            options=submission.options,
            text=submission.with_text and self._terms.traits.generates,
            traceparent=spans.traceparent(),
        )
        return NewJob(
            id=job_id,
            tenant=submission.tenant,
            priority=priority_of(submission.options.priority),
            track=self._terms.tracks.next(),
            pages=found.pages,
            payload=payloads.dumped(payload),
            body_sha256=await asyncio.to_thread(_digest, submission),
            idempotency_key=submission.idempotency_key,
            saved=await self._saved(job_id, submission.pages),
        )

    async def _saved(
        self, job_id: str, pages: Sequence[PageBody]
    ) -> tuple[tuple[int, str, str], ...]:
        """Store pages that have been read already, as workers do."""
        if not pages:
            return ()
        stored = await self._store.put(f"{job_id}/pages/{new_id()}", content_of(pages))
        return tuple((page.index, stored.name, stored.sha256) for page in pages)

    async def _forget(self, job_id: str) -> None:
        """Delete what was stored for nothing; what resists is swept later."""
        with contextlib.suppress(DocParserError):
            await self._store.delete_prefix(f"{job_id}/")


def _digest(submission: Submission) -> str:
    """Return what tells requests apart: documents as they were sent, their order, all options."""
    sent = [hashlib.sha256(document).hexdigest() for document in submission.documents]
    # Without defaults: options that later releases add must not make other requests of old ones.
    chosen = submission.options.model_dump_json(exclude_defaults=True)
    return hashlib.sha256("\n".join([*sent, chosen]).encode()).hexdigest()

"""The work on one job: from its stored documents to its stored result."""

import time
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import Any

from docparser_runtime import answers
from docparser_runtime.engine.tiers import Tier
from docparser_runtime.engine.traits import Traits
from docparser_runtime.errors import DocParserError
from docparser_runtime.logs import Log
from docparser_runtime.metrics import Metrics
from docparser_runtime.page_engine import Page
from docparser_runtime.queue.base import Queue
from docparser_runtime.queue.values import Claim, Priority
from docparser_runtime.reading import DocumentWork, Source, source_of
from docparser_runtime.storage.base import ObjectDamaged, ObjectMissing, ObjectStore
from docparser_runtime.storage.failures import Failures
from docparser_runtime.summaries import Sums
from docparser_runtime.task_errors import ResultCorrupt, UploadLost
from docparser_runtime.tasks import drafts
from docparser_runtime.tasks import payload as payloads
from docparser_runtime.tasks.payload import Payload
from docparser_runtime.tasks.results import About, ResultWriter
from docparser_runtime.tasks.saver import PageSaver
from docparser_runtime.tasks.stored_pages import StoredPages
from docparser_runtime.tracing import spans


@dataclass(frozen=True)
class JobTools:
    """What the work needs.

    Attributes:
        at_most: returns the highest tier that pages of low priority get at the moment.
    """

    queue: Queue
    store: ObjectStore
    work: DocumentWork
    metrics: Metrics
    model_name: str
    max_pages: int
    traits: Traits
    at_most: Callable[[], Tier]
    log: Log
    clock: Callable[[], float] = time.monotonic


class JobWork:
    """Works on claims."""

    def __init__(self, tools: JobTools) -> None:
        self._tools = tools
        self._results = ResultWriter(tools.store, Failures(tools.log))

    async def result(self, claim: Claim) -> dict[str, Any]:
        """Read the pages that are missing, and return the result for `finish`.

        When it is cancelled, the pages that have been read are saved first.

        Raises:
            LostClaim: somebody else has the job.
            UnknownPayload: the job needs a newer release.
            DocParserError: one of the typed errors.
        """
        began = self._tools.clock()
        try:
            found = await self._result(claim, began)
        except DocParserError as error:
            self._count(error.status, began)
            raise
        self._count(HTTPStatus.OK, began)
        return found

    def _count(self, status: int, began: float) -> None:
        """Count an attempt that tells of the document or the engine, not of what is down."""
        if status <= HTTPStatus.INTERNAL_SERVER_ERROR:
            seconds = self._tools.clock() - began
            self._tools.metrics.tasks.seconds.labels(str(int(status))).observe(seconds)

    async def _result(self, claim: Claim, began: float) -> dict[str, Any]:
        payload = payloads.loaded(claim.job.payload)
        repaired = await self._read(claim, payload)
        with spans.step("result"):
            pages = StoredPages(self._tools.store, await self._tools.queue.pages(claim.job.id))
            sums = Sums(repaired, _waited(claim), self._tools.clock() - began)
            about = About(payload.options, sums, self._tools.model_name)
            try:
                return await self._results.write(claim.job, pages, about)
            except (ObjectMissing, ObjectDamaged):
                await self._tools.queue.forget_pages(claim)
                raise ResultCorrupt("A stored page was damaged; all are read again.") from None

    async def _read(self, claim: Claim, payload: Payload) -> bool:
        """Read and save the missing pages; return whether the document had to be mended."""
        repaired = False
        saver = PageSaver(claim, self._tools.queue, self._tools.store)
        source = await self._source(payload)
        if claim.job.priority is Priority.LOW:
            source = replace(source, at_most=self._tools.at_most)
        try:
            async with (
                drafts.kept(self._tools.store, claim.job.id, is_wanted=payload.text) as text,
                aclosing(
                    self._tools.work.read(source, self._tools.max_pages, claim.saved, text)
                ) as events,
            ):
                async for event in events:
                    if isinstance(event, Page):
                        text.forget(event.index)
                        await saver.add(answers.page_body(event))
                    else:
                        repaired |= event.repaired
        finally:
            await saver.flush()
        self._tools.metrics.repaired.inc(repaired)
        return repaired

    async def _source(self, payload: Payload) -> Source:
        store = self._tools.store
        try:
            documents = [await store.get(one.ref, one.sha256) for one in payload.documents]
        except (ObjectMissing, ObjectDamaged):
            raise UploadLost("The stored document is damaged; please send it again.") from None
        return source_of(documents, payload.options, self._tools.traits)


def _waited(claim: Claim) -> float:
    """Return the seconds from the submission to the start of the work."""
    job = claim.job
    started = job.started_at or job.created_at
    return max(0.0, (started - job.created_at).total_seconds())

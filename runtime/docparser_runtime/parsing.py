"""Answers clients that wait for their document: by reading it here, or by way of the queue."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Protocol

from docparser_api.runtime import RuntimeConfig
from sse_starlette.event import ServerSentEvent

from docparser_runtime import answers, streams
from docparser_runtime.errors import DocParserError
from docparser_runtime.gate import Gate
from docparser_runtime.lifecycle import Lifecycle
from docparser_runtime.queue.values import Job
from docparser_runtime.schemas import Options, PageBody, ParseResponse
from docparser_runtime.service import Overdue, ParseService
from docparser_runtime.task_errors import QueueUnavailable, TasksDisabled
from docparser_runtime.task_schemas import TaskBody, TaskOptions
from docparser_runtime.tasks import results, task_events
from docparser_runtime.tasks.desk import raise_unless_done
from docparser_runtime.tasks.door import Submission
from docparser_runtime.tasks.place import Opened, TaskPlace
from docparser_runtime.uploads import Upload


@dataclass(frozen=True)
class Asked:
    """What a client waits for."""

    upload: Upload[Options]
    tenant: str
    request_id: str


class Parsing(Protocol):
    """How documents are read for clients that wait."""

    async def check(self, tenant: str, size_bytes: int) -> None:
        """Return when a document of this size would be read; asked before it is received.

        Raises:
            DocParserError: it would not.
        """
        ...

    async def answer(self, asked: Asked) -> ParseResponse | TaskBody:
        """Return what was read, or the task that goes on when it takes too long.

        When it is cancelled, the work ends, too.

        Raises:
            DocParserError: one of the typed errors.
        """
        ...

    def stream(self, asked: Asked) -> AsyncGenerator[ServerSentEvent, None]:
        """Yield what happens; closing it ends the work. Raises as `answer` does."""
        ...


class LocalParsing:
    """Reads documents in this process."""

    def __init__(
        self,
        service: ParseService,
        gate: Gate,
        lifecycle: Lifecycle,
        tasks: TaskPlace,
        model_name: str,
    ) -> None:
        self._service = service
        self._gate = gate
        self._lifecycle = lifecycle
        self._tasks = tasks
        self._model_name = model_name

    async def check(self, tenant: str, size_bytes: int) -> None:  # noqa: ARG002 (one line for all)
        """Refuse while the engine is loading, and when too many wait."""
        self._lifecycle.check_loaded()
        self._gate.refuse_if_full()

    async def answer(self, asked: Asked) -> ParseResponse | TaskBody:
        """Return what was read; a document that takes too long becomes a task."""
        try:
            reading = await self._service.parse(asked.upload)
        except Overdue as late:
            return await self._task(asked, late)
        return answers.response(
            reading, asked.upload.options, request_id=asked.request_id, model=self._model_name
        )

    def stream(self, asked: Asked) -> AsyncGenerator[ServerSentEvent, None]:
        """Yield what happens."""
        return streams.of_document(
            self._service.events(asked.upload, with_text=True),
            ahead=self._gate.waiting,
            request_id=asked.request_id,
            model=self._model_name,
        )

    async def _task(self, asked: Asked, late: Overdue) -> TaskBody:
        """Return the task that goes on from the pages that have been read."""
        pages = tuple(answers.page_body(page) for page in late.pages)
        try:
            place = self._tasks.opened()
            job = await place.door.submit(_submission(asked, pages))
        except (TasksDisabled, QueueUnavailable):
            raise late from None
        return await place.desk.body(job)


class QueuedParsing:
    """Has documents read by workers."""

    def __init__(self, tasks: TaskPlace, config: RuntimeConfig) -> None:
        self._tasks = tasks
        self._most_bytes = config.max_body_bytes
        self._longest_seconds = config.queue_timeout_seconds + config.request_timeout_seconds
        self._cancelling: set[asyncio.Task[None]] = set()

    async def check(self, tenant: str, size_bytes: int) -> None:
        """Refuse when queue or store have no room."""
        await self._tasks.opened().door.check_room(tenant, min(size_bytes, self._most_bytes))

    async def answer(self, asked: Asked) -> ParseResponse | TaskBody:
        """Return what was read, or the task after the longest time that a request may take."""
        place = self._tasks.opened()
        job = await place.door.submit(_submission(asked))
        try:
            job = await place.desk.ended(job.id, asked.tenant, self._longest_seconds)
        except BaseException:
            self._cancel(place, job)
            raise
        if not job.state.is_final:
            return await place.desk.body(job)
        raise_unless_done(job)
        pieces = await place.desk.result(job, results.JSON)
        content = b"".join([piece async for piece in pieces])
        found = ParseResponse.model_validate_json(content)
        return found.model_copy(update={"request_id": asked.request_id})

    async def stream(self, asked: Asked) -> AsyncGenerator[ServerSentEvent, None]:
        """Yield what happens."""
        place = self._tasks.opened()
        job = await place.door.submit(replace(_submission(asked), with_text=True))
        ended = False
        happening = place.desk.happenings(job.id, asked.tenant, 0)
        try:
            async with aclosing(task_events.of_task(happening, lambda: False)) as events:
                async for event in events:
                    yield event
            ended = True
        finally:
            if not ended:
                self._cancel(place, job)

    def _cancel(self, place: Opened, job: Job) -> None:
        """End work that nobody waits for any more. Whoever waited may not wait for this, either."""
        cancelling = asyncio.create_task(_cancel(place, job))
        self._cancelling.add(cancelling)
        cancelling.add_done_callback(self._cancelling.discard)


async def _cancel(place: Opened, job: Job) -> None:
    """End work that nobody waits for any more."""
    try:
        await place.desk.cancel(job.id, job.tenant)
    except DocParserError:
        return  # it has ended, or its worker will find nobody to tell


def _submission(asked: Asked, pages: Sequence[PageBody] = ()) -> Submission:
    """Return the task that is to be done before all others, as somebody waits for it."""
    options = TaskOptions(**dict(asked.upload.options), priority="high")
    return Submission(asked.tenant, asked.upload.documents, options, None, pages)

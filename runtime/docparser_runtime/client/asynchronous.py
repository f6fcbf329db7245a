"""The client for programs with an event loop: what `synchronous` does, told to wait."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from typing import Self

import httpx

from docparser_runtime.client import answers, calls, connection, steps
from docparser_runtime.client.answers import Answer
from docparser_runtime.client.calls import Call
from docparser_runtime.client.connection import DEFAULTS, NORMAL, PLAIN, Document, Settings
from docparser_runtime.client.errors import BusyError, UnreachableError
from docparser_runtime.client.events import Event, EventDecoder, Finished
from docparser_runtime.client.following import Following
from docparser_runtime.client.steps import Result, Steps
from docparser_runtime.result_forms import Form
from docparser_runtime.schemas import Options, ParseResponse
from docparser_runtime.task_schemas import ResultLink, TaskBody, TaskList, TaskOptions


class AsyncClient:
    """Asks a service to read documents. Close it, or use it in `async with`.

    Every method raises `ClientError`: `ApiError` when the service refuses or fails,
    `UnreachableError`, `TimedOutError` or `InvalidAnswerError` when there is no answer. Where
    another attempt may help, it has been made.

    Args:
        url: address of the service, such as `https://documents.example.org`.
        token: bearer token, where the service asks for one.
        timeout: seconds to wait for an answer. Reading a long document takes long.
        settings: what seldom needs to be other than it is.
        transport: what sends requests; None is the network.

    Raises:
        ValueError: `url` is no address of a service.
    """

    def __init__(
        self,
        url: str,
        token: str | None = None,
        timeout: float = 300.0,
        *,
        settings: Settings = DEFAULTS,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self._timeout = timeout
        self._settings = settings
        options = connection.options(url, token, timeout, settings)
        self._http = httpx.AsyncClient(**options, transport=transport)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close all connections."""
        await self._http.aclose()

    async def parse(self, document: Document, options: Options = PLAIN) -> ParseResponse:
        """Return what the document says, as soon as it has been read.

        What takes the service longer than a request may becomes a task, which is waited for.
        """
        content = await asyncio.to_thread(connection.content, document)
        return await self._asked(steps.parse(content, options))

    async def parse_as(self, document: Document, form: Form, options: Options = PLAIN) -> bytes:
        """Return what the document says in a form, such as `pdf`; texts are UTF-8."""
        content = await asyncio.to_thread(connection.content, document)
        return await self._asked(steps.parse_as(content, form, options))

    async def stream(
        self, document: Document, options: Options = PLAIN
    ) -> AsyncGenerator[Event, None]:
        """Yield what happens while the document is read; `Finished` is last.

        Closing the iterator ends the reading. A stream that breaks in its midst is not begun anew.
        """
        call = calls.stream(await asyncio.to_thread(connection.content, document), options)
        following = Following(lambda _: call, "", self._settings.patience(), resumes=False)
        async with aclosing(self._told(following)) as events:
            async for event in events:
                yield event

    async def submit(
        self,
        document: Document,
        options: TaskOptions = NORMAL,
        *,
        idempotency_key: str | None = None,
    ) -> TaskBody:
        """Hand in a document to be read later, and return its task.

        The same document with the same options is the same task, as long as the service
        remembers it; another `idempotency_key` makes another one.
        """
        content = await asyncio.to_thread(connection.content, document)
        key = idempotency_key or calls.idempotency_key(content, options)
        return await self._asked(steps.one(TaskBody, calls.submit(content, options, key)))

    async def task(self, task: TaskBody | str, wait_seconds: float = 0.0) -> TaskBody:
        """Return the task as it stands: at its end, or after so many seconds (at most 60)."""
        return await self._asked(steps.one(TaskBody, calls.task(task, wait_seconds)))

    async def wait(self, task: TaskBody | str, timeout_seconds: float | None = None) -> TaskBody:
        """Return the task once it has ended, however it did.

        Raises:
            TimedOutError: it has not after so many seconds.
        """
        clock = self._settings.chance.clock
        return await self._asked(steps.wait(task, timeout_seconds, clock))

    async def result(self, task: TaskBody | str) -> ParseResponse:
        """Return what the task has read.

        Raises:
            ApiError: it has not been read: why, or `task_not_done`.
        """
        return await self._asked(steps.one(ParseResponse, calls.result(task, "json")))

    async def result_as(self, task: TaskBody | str, form: Form) -> bytes:
        """Return what the task has read in a form, such as `pdf`; texts are UTF-8. Raises the same.

        A `pdf` is made when it is asked for.
        """
        return await self._asked(steps.result_as(task, form))

    async def link(self, task: TaskBody | str, form: Form = "json") -> ResultLink:
        """Return an address from which the result can be downloaded for a while, without a token.

        Raises:
            ApiError: `link_unavailable`: the service gives none to this form. Or as for `result`.
        """
        return await self._asked(steps.one(ResultLink, calls.link(task, form)))

    def events(self, task: TaskBody | str, last_event_id: str = "0") -> AsyncGenerator[Event, None]:
        """Yield what happens to the task after an event until it has ended; `Finished` is last.

        A connection that breaks is made again, and no page is missed or told twice.
        """
        patience = self._settings.patience()
        following = Following(
            lambda last: calls.events(task, last), last_event_id, patience, resumes=True
        )
        return self._told(following)

    async def cancel(self, task: TaskBody | str) -> TaskBody:
        """Cancel the task and return it.

        Raises:
            ApiError: `task_ended`: it has ended already.
        """
        return await self._asked(steps.one(TaskBody, calls.cancel(task)))

    async def tasks(self) -> AsyncIterator[TaskBody]:
        """Yield the caller's tasks, newest first."""
        after = None
        while True:
            found = await self._asked(steps.one(TaskList, calls.tasks(after)))
            for task in found.tasks:
                yield task
            after = found.next
            if after is None:
                return

    async def _asked(self, asked: Steps[Result]) -> Result:
        try:
            call = next(asked)
            while True:
                call = asked.send(await self._answer(call))
        except StopIteration as end:
            result: Result = end.value
            return result

    async def _answer(self, call: Call) -> Answer:
        patience = self._settings.patience()
        while True:
            try:
                async with self._opened(call) as response:
                    await response.aread()
                    return connection.answer(response)
            except (BusyError, UnreachableError) as error:
                await asyncio.sleep(patience.pause_seconds(error))

    async def _told(self, following: Following) -> AsyncGenerator[Event, None]:
        while True:
            try:
                async with aclosing(self._events(following.call())) as events:
                    async for event in events:
                        following.seen(event)
                        yield event
            except (BusyError, UnreachableError) as error:
                await asyncio.sleep(following.pause_seconds(error))
            else:
                return

    async def _events(self, call: Call) -> AsyncGenerator[Event, None]:
        decoder = EventDecoder()
        async with self._opened(call) as response:
            async for chunk in response.aiter_bytes():
                for event in decoder.events(chunk):
                    yield event
                    if isinstance(event, Finished):
                        return
        raise connection.broken_stream()

    @asynccontextmanager
    async def _opened(self, call: Call) -> AsyncIterator[httpx.Response]:
        """Yield the answer to one attempt, if it is a success; its body has not been read."""
        request = connection.request(self._http, call, self._timeout)
        try:
            async with aclosing(await self._http.send(request, stream=True)) as response:
                if not response.is_success:
                    await response.aread()
                    raise answers.error(connection.answer(response))
                yield response
        except httpx.HTTPError as error:
            raise connection.failure(error) from None

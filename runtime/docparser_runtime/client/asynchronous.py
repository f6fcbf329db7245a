"""The client for programs with an event loop: what `synchronous` does, told to wait."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager
from http import HTTPStatus
from typing import Self

import httpx

from docparser_runtime.client import answers, calls, connection
from docparser_runtime.client.answers import Answer, Model
from docparser_runtime.client.calls import Call
from docparser_runtime.client.connection import DEFAULTS, NORMAL, PLAIN, Document, Settings
from docparser_runtime.client.errors import BusyError, TimedOutError, UnreachableError
from docparser_runtime.client.events import Event, EventDecoder, Finished, PageRead
from docparser_runtime.schemas import Options, ParseResponse
from docparser_runtime.task_schemas import TaskBody, TaskList, TaskOptions


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
        call = calls.parse(await asyncio.to_thread(connection.content, document), options)
        answer = await self._answer(call)
        if answer.status != HTTPStatus.ACCEPTED:
            return answers.body(ParseResponse, answer.body)
        task = answers.body(TaskBody, answer.body)
        return await self.result(await self.wait(task))

    async def stream(
        self, document: Document, options: Options = PLAIN
    ) -> AsyncGenerator[Event, None]:
        """Yield what happens while the document is read; `Finished` is last.

        Closing the iterator ends the reading. A stream that breaks in its midst is not begun anew.
        """
        call = calls.stream(await asyncio.to_thread(connection.content, document), options)
        async with aclosing(self._told(lambda _: call, "", resumes=False)) as events:
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
        return await self._body(TaskBody, calls.submit(content, options, key))

    async def task(self, task: TaskBody | str, wait_seconds: float = 0.0) -> TaskBody:
        """Return the task as it stands: at its end, or after so many seconds (at most 60)."""
        return await self._body(TaskBody, calls.task(task, wait_seconds))

    async def wait(self, task: TaskBody | str, timeout_seconds: float | None = None) -> TaskBody:
        """Return the task once it has ended, however it did.

        Raises:
            TimedOutError: it has not after so many seconds.
        """
        clock = self._settings.chance.clock
        end = None if timeout_seconds is None else clock() + timeout_seconds
        while True:
            left = calls.LONGEST_WAIT_SECONDS if end is None else end - clock()
            found = await self.task(task, left)
            if answers.has_ended(found):
                return found
            if end is not None and clock() >= end:
                raise TimedOutError("The task has not ended yet.")

    async def result(self, task: TaskBody | str) -> ParseResponse:
        """Return what the task has read.

        Raises:
            ApiError: it has not been read: why, or `task_not_done`.
        """
        return await self._body(ParseResponse, calls.result(task))

    def events(self, task: TaskBody | str, last_event_id: str = "0") -> AsyncGenerator[Event, None]:
        """Yield what happens to the task after an event until it has ended; `Finished` is last.

        A connection that breaks is made again, and no page is missed or told twice.
        """
        return self._told(lambda last: calls.events(task, last), last_event_id, resumes=True)

    async def cancel(self, task: TaskBody | str) -> TaskBody:
        """Cancel the task and return it.

        Raises:
            ApiError: `task_ended`: it has ended already.
        """
        return await self._body(TaskBody, calls.cancel(task))

    async def tasks(self) -> AsyncIterator[TaskBody]:
        """Yield the caller's tasks, newest first."""
        after = None
        while True:
            found = await self._body(TaskList, calls.tasks(after))
            for task in found.tasks:
                yield task
            after = found.next
            if after is None:
                return

    async def _body(self, model: type[Model], call: Call) -> Model:
        return answers.body(model, (await self._answer(call)).body)

    async def _answer(self, call: Call) -> Answer:
        patience = self._settings.patience()
        while True:
            try:
                async with self._opened(call) as response:
                    await response.aread()
                    return connection.answer(response)
            except (BusyError, UnreachableError) as error:
                await asyncio.sleep(patience.pause_seconds(error))

    async def _told(
        self, call_after: Callable[[str], Call], last_event_id: str, *, resumes: bool
    ) -> AsyncGenerator[Event, None]:
        patience = self._settings.patience()
        may_try_again = True
        while True:
            try:
                async with aclosing(self._events(call_after(last_event_id))) as events:
                    async for event in events:
                        may_try_again = resumes
                        if isinstance(event, PageRead):
                            last_event_id = event.event_id
                            patience.renew()
                        yield event
            except (BusyError, UnreachableError) as error:
                if not may_try_again:
                    raise
                await asyncio.sleep(patience.pause_seconds(error))
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

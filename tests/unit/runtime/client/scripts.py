"""Answers of a service that are written down beforehand, for both clients alike."""

import json
from collections.abc import Callable, Sequence
from contextlib import aclosing, closing
from dataclasses import dataclass, field
from typing import Any

import httpx
from docparser_runtime.client import AsyncClient, Client, Event, Retrying, Settings
from docparser_runtime.schemas import PageBody, SummaryBody
from docparser_runtime.task_schemas import TaskBody
from pydantic import BaseModel

URL = "http://service"
AT_ONCE = Settings(retrying=Retrying(tries=4, first_pause_seconds=0))
Reply = httpx.Response | httpx.TransportError


def whole(model: type[BaseModel], /, **values: Any) -> dict[str, Any]:
    """Return a body of this kind; what `values` leave out is zero or empty."""
    empty = {
        name: field.annotation()
        for name, field in model.model_fields.items()
        if field.annotation in (bool, float, int, str)
    }
    return empty | values


TASK = whole(
    TaskBody,
    id="t1",
    status="queued",
    pages=2,
    queue_position=0,
    priority="normal",
    created_at="2026-01-01T00:00:00Z",
    started_at=None,
    finished_at=None,
    expires_at=None,
    error=None,
)
PAGE = whole(PageBody, width=10, height=20, markdown="# A", text="A", blocks=[])
TIMINGS = {"queue": 0, "parse": 1}
SUMMARY = whole(SummaryBody, request_id="r1", model="m", timings=TIMINGS)
RESPONSE = SUMMARY | {"content": "# A", "pages": [PAGE]}


def problem(code: str, status: int, **headers: str) -> httpx.Response:
    """Return an error as the service answers it."""
    body = {"type": "urn:x", "title": "X", "status": status, "code": code}
    body |= {"detail": "Why.", "request_id": "r9"}
    return httpx.Response(status, json=body, headers=headers)


def events(*told: tuple[str, Any, str | None]) -> httpx.Response:
    """Return a stream of events: name, data, id."""
    text = ": ping\r\n\r\n"
    for name, data, event_id in told:
        text += f"id: {event_id}\r\n" if event_id else ""
        text += f"event: {name}\r\ndata: {json.dumps(data, ensure_ascii=False)}\r\n\r\n"
    return httpx.Response(200, content=text.encode(), headers={"content-type": "text/event-stream"})


@dataclass
class Script:
    """A transport that gives `replies` one after another and remembers what came."""

    replies: list[Reply]
    requests: list[httpx.Request] = field(default_factory=list)

    def __call__(self, request: httpx.Request) -> httpx.Response:
        request.read()
        self.requests.append(request)
        reply = self.replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        # Anew: an answer belongs to the one client that has read it.
        return httpx.Response(reply.status_code, headers=reply.headers, content=reply.content)

    @property
    def transport(self) -> httpx.MockTransport:
        return httpx.MockTransport(self)


class Waiting:
    """Asks by the client that waits."""

    async def ask(
        self, script: Script, method: str, *args: Any, settings: Settings = AT_ONCE, **named: Any
    ) -> Any:
        with Client(URL, "t0ken", settings=settings, transport=script.transport) as client:
            return getattr(client, method)(*args, **named)

    async def follow(
        self, script: Script, method: str, *args: Any, until: Callable[[Event], bool]
    ) -> Sequence[Event]:
        seen = []
        with (
            Client(URL, settings=AT_ONCE, transport=script.transport) as client,
            closing(getattr(client, method)(*args)) as found,
        ):
            for event in found:
                seen.append(event)
                if until(event):
                    break
        return seen


class Awaited:
    """Asks by the client that is awaited."""

    async def ask(
        self, script: Script, method: str, *args: Any, settings: Settings = AT_ONCE, **named: Any
    ) -> Any:
        async with AsyncClient(
            URL, "t0ken", settings=settings, transport=script.transport
        ) as client:
            return await getattr(client, method)(*args, **named)

    async def follow(
        self, script: Script, method: str, *args: Any, until: Callable[[Event], bool]
    ) -> Sequence[Event]:
        seen = []
        async with (
            AsyncClient(URL, settings=AT_ONCE, transport=script.transport) as client,
            aclosing(getattr(client, method)(*args)) as found,
        ):
            async for event in found:
                seen.append(event)
                if until(event):
                    break
        return seen


Asking = Waiting | Awaited

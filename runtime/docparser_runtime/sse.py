"""Server-sent events (WHATWG HTML, section 9.2): how answers are told piece by piece.

A stream begins with a 200, so what goes wrong later is told in it. Whatever happens, its last event
is exactly one of `done` and `error`, unless the client is gone.
"""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import Final

from pydantic import BaseModel
from sse_starlette.event import ServerSentEvent
from sse_starlette.sse import AppStatus, EventSourceResponse

from docparser_runtime import problems
from docparser_runtime.errors import DocParserError
from docparser_runtime.logs import Log

MEDIA_TYPE: Final = "text/event-stream"
STATUS: Final = "status"
DELTA: Final = "delta"
PAGE: Final = "page"
DONE: Final = "done"
ERROR: Final = "error"
_PING_SECONDS: Final = 15
_STALL_SECONDS: Final = 30
"""A client that takes nothing for so long is gone."""

# The library would end streams as soon as the server is told to leave, in the midst of documents.
AppStatus.disable_automatic_graceful_drain()  # type: ignore[no-untyped-call]


def event(name: str, data: BaseModel | str, event_id: str | None = None) -> ServerSentEvent:
    """Return an event; `data` is a body of the API, or JSON already."""
    text = data if isinstance(data, str) else data.model_dump_json()
    return ServerSentEvent(text, event=name, id=event_id)


def respond(
    events: AsyncGenerator[ServerSentEvent, None], request_id: str, log: Log
) -> EventSourceResponse:
    """Return the answer that sends `events`, and errors that they raise as their last one."""
    return sent(_ended(events, request_id, log))


def sent(events: AsyncIterator[ServerSentEvent]) -> EventSourceResponse:
    """Return the answer that sends `events`, which raise nothing."""
    return EventSourceResponse(events, ping=_PING_SECONDS, send_timeout=_STALL_SECONDS)


async def _ended(
    events: AsyncGenerator[ServerSentEvent, None], request_id: str, log: Log
) -> AsyncIterator[ServerSentEvent]:
    async with aclosing(events):
        try:
            async for one in events:
                yield one
        except DocParserError as error:
            yield event(ERROR, problems.body(error, request_id))
        except Exception:
            log.exception("failed")
            yield event(ERROR, problems.body(problems.unexpected(), request_id))

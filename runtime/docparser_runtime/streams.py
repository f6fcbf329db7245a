"""What happens while a document is read, as server-sent events."""

import time
from collections.abc import AsyncGenerator
from contextlib import ExitStack, aclosing

from sse_starlette.event import ServerSentEvent
from starlette.requests import Request

from docparser_runtime import answers, sse
from docparser_runtime.drafts import Delta
from docparser_runtime.page_engine import Page
from docparser_runtime.reading import Opened
from docparser_runtime.service import Event, Started
from docparser_runtime.summaries import Sums
from docparser_runtime.task_schemas import ProgressBody


async def of_document(
    events: AsyncGenerator[Event, None], *, ahead: int, request_id: str, model: str
) -> AsyncGenerator[ServerSentEvent, None]:
    """Yield what clients are told of `events`; `ahead` documents come before this one.

    Raises:
        DocParserError: what ended the reading too early.
    """
    yield sse.event(sse.STATUS, _queued(ahead))
    sums, began = Sums(), time.monotonic()
    done = pages = 0
    async with aclosing(events):
        async for event in events:
            match event:
                case Started():
                    sums.queue_seconds, began = event.queue_seconds, time.monotonic()
                    yield sse.event(sse.STATUS, _running(pages, done))
                case Opened():
                    pages, sums.repaired = event.pages, sums.repaired or event.repaired
                    yield sse.event(sse.STATUS, _running(pages, done))
                case Delta():
                    yield sse.event(sse.DELTA, answers.delta_body(event))
                case Page():
                    done += 1
                    body = answers.page_body(event)
                    sums.add(body)
                    yield sse.event(sse.PAGE, body, str(done))
    sums.parse_seconds = time.monotonic() - began
    yield sse.event(sse.DONE, sums.body(request_id, model))


def _queued(ahead: int) -> ProgressBody:
    return ProgressBody(status="queued", pages=0, pages_done=0, queue_position=ahead)


def _running(pages: int, done: int) -> ProgressBody:
    return ProgressBody(status="running", pages=pages, pages_done=done, queue_position=None)


async def counted(
    request: Request, events: AsyncGenerator[ServerSentEvent, None], stack: ExitStack
) -> AsyncGenerator[ServerSentEvent, None]:
    """Yield the events, and count pages for the access log; at their end leave `stack`."""
    request.state.pages = 0
    with stack:
        async with aclosing(events):
            async for event in events:
                request.state.pages += event.event == sse.PAGE
                yield event

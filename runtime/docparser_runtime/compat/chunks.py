"""Turns the events of a document into the chunks of a chat, in the order of the pages."""

import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any, Final

from sse_starlette.event import ServerSentEvent

from docparser_runtime import problems, sse
from docparser_runtime.compat import errors, texts
from docparser_runtime.compat.texts import Head
from docparser_runtime.compat.tokens import Saying
from docparser_runtime.errors import DocParserError
from docparser_runtime.logs import Log
from docparser_runtime.schemas import PageBody, SummaryBody

DONE: Final = "[DONE]"
_BETWEEN_PAGES: Final = "\n\n"
Told = AsyncGenerator[ServerSentEvent, None]


class PageTexts:
    """Gives out the texts of pages in order, whatever order they are read in."""

    def __init__(self) -> None:
        self._waiting: dict[int, str] = {}
        self._next = 0
        self._begun = False

    def add(self, page: PageBody) -> str:
        """Return what can be said now that `page` has been read."""
        self._waiting[page.index] = page.markdown
        said = []
        while self._next in self._waiting:
            text = self._waiting.pop(self._next)
            self._next += 1
            if text:
                said.append(_BETWEEN_PAGES + text if self._begun else text)
                self._begun = True
        return "".join(said)


async def once_opened(events: Told) -> Told:
    """Return `events` once the document is known to be one, so that its faults have a status.

    Raises:
        DocParserError: it cannot be read.
    """
    first: list[ServerSentEvent] = []
    try:
        async for event in events:
            first.append(event)
            if event.event != sse.STATUS or json.loads(str(event.data))["pages"]:
                break
    except BaseException:
        await events.aclose()
        raise
    return _chained(first, events)


async def of_document(
    events: Told, head: Head, log: Log, saying: Saying, *, tells_usage: bool
) -> Told:
    """Yield the chunks that `events` stand for, as far as `saying` lets them be said.

    `[DONE]` is last, also after an error.
    """
    async with aclosing(events):
        try:
            async with aclosing(_chunks(events, head, saying, tells_usage=tells_usage)) as chunks:
                async for chunk in chunks:
                    yield _event(chunk)
        except DocParserError as error:
            yield _event(errors.body(error).model_dump())
        except Exception:
            log.exception("failed")
            yield _event(errors.body(problems.unexpected()).model_dump())
    yield ServerSentEvent(DONE)


async def _chunks(
    events: Told, head: Head, saying: Saying, *, tells_usage: bool
) -> AsyncGenerator[dict[str, Any], None]:
    yield texts.chunk(head, role=True, text="")
    pages = PageTexts()
    async for event in events:
        match event.event:
            case sse.PAGE:
                text = saying.add(pages.add(PageBody.model_validate_json(str(event.data))))
                if text:
                    yield texts.chunk(head, text=text)
            case sse.DONE:
                summary = SummaryBody.model_validate_json(str(event.data))
                yield texts.last_chunk(head, summary, saying)
                if tells_usage:
                    yield texts.usage_chunk(head, summary, saying)


async def _chained(first: list[ServerSentEvent], events: Told) -> Told:
    async with aclosing(events):
        for event in first:
            yield event
        async for event in events:
            yield event


def _event(chunk: dict[str, Any]) -> ServerSentEvent:
    return ServerSentEvent(json.dumps(chunk, separators=(",", ":")))

"""Streams of events, as bytes and as both clients follow them."""

from typing import Any

import httpx
import pytest
from docparser_runtime.client import (
    ApiError,
    Finished,
    InvalidAnswerError,
    PageRead,
    StatusChanged,
    Task,
    TextWritten,
    UnreachableError,
)
from docparser_runtime.client.events import EventDecoder
from unit.runtime.client.scripts import PAGE, SUMMARY, TASK, Asking, Script, events, problem

PROBLEM = problem("document_corrupt", 422).json()
FIRST, SECOND = ("page", PAGE, "1"), ("page", PAGE | {"index": 1}, "2")
DONE = ("done", SUMMARY, None)


def never(_: object) -> bool:
    return False


def decoded(content: bytes, size: int) -> list[Any]:
    decoder = EventDecoder()
    pieces = [content[start : start + size] for start in range(0, len(content), size)]
    return [event for piece in pieces for event in decoder.events(piece)]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000, 10_000])
def test_events_come_out_however_the_bytes_are_cut(size: int) -> None:
    # Python, unlike the standard of streams, ends lines at the last two characters.
    text = "ä€😀\u2028\x85"
    stream = events(
        ("status", TASK, None),
        ("delta", {"index": 0, "text": text}, None),
        ("page", PAGE | {"text": text}, "1"),
        ("newer", {"x": 1}, None),
        DONE,
    )
    status, delta, page, done = decoded(stream.content, size)
    assert isinstance(status.progress, Task)
    assert delta == TextWritten(0, text)
    assert (page.page.text, page.event_id) == (text, "1")
    assert done.summary.model == "m"


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
def test_lines_end_in_any_of_three_ways(end: str) -> None:
    text = f'event:delta{end}data: {{{end}data: "index": 1, "text": "x"}}{end}{end}:{end}'
    assert decoded(text.encode(), 5) == [TextWritten(1, "x")]


@pytest.mark.parametrize("content", [b"\xff\n\n", b"event: page\ndata: {}\n\n"])
def test_what_is_no_stream_of_ours(content: bytes) -> None:
    with pytest.raises(InvalidAnswerError):
        decoded(content, 100)


def test_the_text_of_documents_is_not_in_the_repr_of_events() -> None:
    (event,) = decoded(events(("page", PAGE | {"text": "canary"}, "1")).content, 100)
    assert "canary" not in repr(event)


async def test_a_document_is_followed_while_it_is_read(client: Asking) -> None:
    script = Script([events(("status", TASK, None), FIRST, SECOND, DONE)])
    found = await client.follow(script, "stream", b"document", until=never)
    assert [type(event) for event in found] == [StatusChanged, PageRead, PageRead, Finished]
    assert script.requests[0].url.params["stream"] == "true"


async def test_a_stream_is_begun_again_only_before_its_first_event(client: Asking) -> None:
    script = Script([problem("queue_full", 429), httpx.ReadError(""), events(FIRST), events(DONE)])
    with pytest.raises(UnreachableError):
        await client.follow(script, "stream", b"document", until=never)
    assert len(script.requests) == 3


async def test_the_last_event_may_be_an_error(client: Asking) -> None:
    script = Script([events(FIRST, ("error", PROBLEM, None))])
    with pytest.raises(ApiError) as raised:
        await client.follow(script, "stream", b"document", until=never)
    assert (raised.value.code, raised.value.status) == ("document_corrupt", 422)


async def test_events_of_a_task_go_on_where_they_broke(client: Asking) -> None:
    broken = httpx.ConnectError("")
    script = Script([events(FIRST), broken, problem("not_ready", 503), events(SECOND, DONE)])
    found = await client.follow(script, "events", "t1", until=never)
    assert [e.page.index for e in found if isinstance(e, PageRead)] == [0, 1]
    last = [request.headers["last-event-id"] for request in script.requests]
    assert last == ["0", "1", "1", "1"]


async def test_pages_renew_the_patience(client: Asking) -> None:
    pages = [events(("page", PAGE, str(number))) for number in range(1, 9)]
    script = Script([*pages, events(DONE)])
    found = await client.follow(script, "events", "t1", until=never)
    assert len(found) == 9


async def test_a_service_that_never_tells_anything_is_given_up(client: Asking) -> None:
    script = Script([events(("status", TASK, None))] * 9)
    with pytest.raises(UnreachableError):
        await client.follow(script, "events", "t1", until=never)
    assert len(script.requests) == 4


async def test_whoever_has_seen_enough_may_leave(client: Asking) -> None:
    script = Script([events(FIRST, SECOND, DONE)])
    found = await client.follow(script, "events", "t1", until=lambda _: True)
    assert len(found) == 1

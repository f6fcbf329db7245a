"""Text as it is written, between the other events of a document."""

import json
import threading
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

import pytest
from docparser_runtime.engine.listening import Listener, Unwanted
from docparser_runtime.parsing import Asked
from docparser_runtime.schemas import Options
from docparser_runtime.uploads import Upload
from sse_starlette.event import ServerSentEvent
from unit.runtime.doubles import PARSE, Service, StartService, a_document, eventually

Told = tuple[str, dict[str, Any]]


class Pen:
    """Writes pieces, each of them once the one before was let go on."""

    def __init__(self, *pieces: str) -> None:
        self.pieces = pieces
        self.go = threading.Semaphore(0)
        self.left = 0

    def write(self, listener: Listener) -> None:
        for piece in self.pieces:
            if piece:
                listener.wrote(piece)
            else:
                listener.began_anew()
            assert self.go.acquire(timeout=10)

    def write_for_ever(self, listener: Listener) -> None:
        while listener.is_wanted():
            listener.wrote("more ")
        self.left += 1
        raise Unwanted


def stream(service: Service, pages: int = 1) -> AsyncGenerator[ServerSentEvent, None]:
    return service.context.parsing.stream(Asked(Upload((a_document(pages),), Options()), "t", "r"))


def told(event: ServerSentEvent) -> Told:
    return str(event.event), json.loads(str(event.data))


async def test_text_comes_between_status_and_page(start: StartService) -> None:
    service = await start(max_concurrency=1)
    pen = Pen("# pa", "ge", "", "# page 0")
    service.engine.tell = pen.write
    events: list[Told] = []
    async with aclosing(stream(service)) as found:
        async for event in found:
            events.append(told(event))
            if event.event == "delta":
                pen.go.release(2 if events[-1][1]["restart"] else 1)
    names = [name for name, _ in events]
    assert [name for name in names if name != "delta"] == [
        *("status", "status", "status"),
        *("page", "done"),
    ]
    deltas = [data for name, data in events if name == "delta"]
    assert deltas[:2] == [
        {"index": 0, "text": "# pa", "restart": False},
        {"index": 0, "text": "ge", "restart": False},
    ]
    assert deltas[2]["restart"]
    assert names.index("delta") == 3
    assert names[-2:] == ["page", "done"]


@pytest.mark.parametrize("pages", [1, 9])
async def test_leaving_ends_the_writing_and_frees_the_place(
    start: StartService, pages: int
) -> None:
    service = await start(max_concurrency=2)
    pen = Pen()
    service.engine.tell = pen.write_for_ever
    async with aclosing(stream(service, pages)) as found:
        async for event in found:
            if event.event == "delta":
                break
    await eventually(lambda: service.context.gate.running == 0, seconds=2)
    assert pen.left == min(pages, 2)
    assert await service.metric("docparser_pages_total") == 0
    assert service.log_lines("engine_failed") == []


async def test_whoever_waits_for_the_whole_is_told_nothing_in_between(service: Service) -> None:
    heard: list[bool] = []

    def tell(listener: Listener) -> None:
        listener.wrote("x")
        heard.append(listener.is_wanted())

    service.engine.tell = tell
    answer = await service.client.post(PARSE, files={"file": ("a", a_document(3))})
    assert len(answer.json()["pages"]) == 3
    assert heard == [True] * 3


async def test_a_stream_ends_once_also_when_text_was_told(service: Service) -> None:
    def fail(listener: Listener) -> None:
        listener.wrote("x")
        raise RuntimeError

    service.engine.tell = fail
    form = {"file": ("a", a_document())}
    answer = await service.client.post(PARSE, params={"stream": "true"}, files=form)
    names = [line[7:] for line in answer.text.splitlines() if line.startswith("event: ")]
    assert names[-1] == "error"
    assert names.count("error") + names.count("done") == 1

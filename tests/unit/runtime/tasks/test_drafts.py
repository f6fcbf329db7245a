"""Text as it is written reaches a gateway by way of the store."""

import asyncio
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest
from docparser_runtime.drafts import Delta
from docparser_runtime.parsing import Asked, QueuedParsing
from docparser_runtime.schemas import Options
from docparser_runtime.tasks.drafts import News
from docparser_runtime.uploads import Upload
from unit.runtime.doubles import ScriptedEngine, StartService, a_document, eventually
from unit.runtime.test_streams import Pen, Told, told


def test_only_what_is_new_is_told() -> None:
    news = News()
    assert news.of({0: "a", 1: ""}) == [Delta(0, "a")]
    assert news.of({0: "a", 1: "b"}) == [Delta(1, "b")]
    assert news.of({0: "abc", 1: "b"}) == [Delta(0, "bc")]


def test_a_page_that_does_not_go_on_begins_anew() -> None:
    news = News()
    news.of({0: "a loop a loop"})
    assert news.of({0: "a"}) == [Delta(0, "a", restarts=True)]
    assert news.of({0: ""}) == [Delta(0, "", restarts=True)]
    assert news.of({0: "new"}) == [Delta(0, "new")]


def test_a_page_that_was_read_is_told_no_more() -> None:
    news = News()
    news.of({0: "a"})
    news.end(0)
    assert news.of({0: "ab", 1: "c"}) == [Delta(1, "c")]


@pytest.mark.parametrize("generates", [pytest.param(True, marks=pytest.mark.thorough), False])
async def test_a_gateway_tells_text_as_it_is_written(
    start: StartService, engine: ScriptedEngine, tmp_path: Path, *, generates: bool
) -> None:
    engine.generates = generates
    service = await start(directory=tmp_path, max_concurrency=1)
    pen = Pen("# pa", "ge", "", "# page 0")
    engine.tell = pen.write
    if not generates:
        pen.go.release(len(pen.pieces))
    gateway = QueuedParsing(service.context.tasks, service.context.config)
    upload = Upload((a_document(1),), Options())
    events: list[Told] = []
    async with aclosing(gateway.stream(Asked(upload, "t", "r"))) as found:
        async for event in found:
            events.append(told(event))
            if event.event == "delta":
                pen.go.release(2 if events[-1][1]["restart"] else 1)
    assert [name for name, _ in events if name not in {"status", "delta"}] == ["page", "done"]
    deltas = [data for name, data in events if name == "delta"]
    if not generates:
        assert deltas == []
        return
    assert deltas[:2] == [delta("# pa"), delta("ge")]
    assert deltas[2]["restart"]


@pytest.mark.thorough
async def test_whoever_leaves_a_gateway_ends_the_writing(
    start: StartService, engine: ScriptedEngine, tmp_path: Path
) -> None:
    engine.generates = True
    service = await start(directory=tmp_path, max_concurrency=1)
    pen = Pen()
    engine.tell = pen.write_for_ever
    gateway = QueuedParsing(service.context.tasks, service.context.config)
    upload = Upload((a_document(2),), Options())
    async with aclosing(gateway.stream(Asked(upload, "t", "r"))) as found:
        async for event in found:
            if event.event == "delta":
                break
    left = asyncio.get_running_loop().time()
    await eventually(lambda: service.context.gate.running == 0)
    assert asyncio.get_running_loop().time() - left <= 2
    assert pen.left == 1


def delta(text: str) -> dict[str, Any]:
    return {"index": 0, "text": text, "restart": False}

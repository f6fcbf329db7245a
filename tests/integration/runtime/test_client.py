"""Clients with real services, some of which are killed."""

import asyncio
import base64
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from docparser_api.names import PATH_CHAT
from docparser_runtime.client import (
    ApiError,
    AsyncClient,
    Client,
    Finished,
    Options,
    PageRead,
    TaskOptions,
)
from integration.runtime.restarting import SLOW, SLOW_LIMITS, Restartable, Start, document, services
from unit.runtime.doubles import eventually


@pytest.fixture
async def start(tmp_path: Path) -> AsyncIterator[Start]:
    async with services(tmp_path / "data") as started:
        yield started


async def test_all_that_a_client_can_ask(start: Start, tmp_path: Path) -> None:
    service = await start()
    path = tmp_path / "a.pdf"
    path.write_bytes(document(2))

    def ask() -> None:
        with Client(service.url) as client:
            whole = client.parse(path)
            assert len(whole.pages) == 2
            streamed = list(client.stream(path))
            assert sum(isinstance(event, PageRead) for event in streamed) == 2
            assert isinstance(streamed[-1], Finished)
            task = client.submit(path)
            assert client.submit(path).id == task.id
            other = client.submit(path, TaskOptions(priority="low"))
            assert other.id != task.id
            assert client.wait(task, 30).status == "done"
            assert client.result(task).content == whole.content
            told = list(client.events(task.id))
            assert [event.event_id for event in told if isinstance(event, PageRead)] == ["1", "2"]
            assert {one.id for one in client.tasks()} == {task.id, other.id}
            with pytest.raises(ApiError) as raised:
                client.cancel(task)
            assert raised.value.code == "task_ended"
            with pytest.raises(ApiError) as raised:
                client.parse(b"canary", Options(password="s3cr3t"))
            assert raised.value.code == "unsupported_media_type"
            assert "canary" not in repr(raised.value)

    await asyncio.to_thread(ask)


async def test_a_client_that_leaves_a_stream_ends_the_work(start: Start) -> None:
    service = await start(fake=SLOW)
    async with AsyncClient(service.url) as client:
        events = client.stream(document(50))
        async for event in events:
            if isinstance(event, PageRead):
                break
        await events.aclose()
    await rests(service)


async def test_a_chat_whose_client_leaves_ends_the_work(start: Start) -> None:
    service = await start(fake=SLOW)
    async with (
        httpx.AsyncClient(base_url=service.url) as http,
        http.stream("POST", PATH_CHAT, json=chat(50, stream=True)) as answer,
    ):
        async for line in answer.aiter_lines():
            if "Page 1" in line:
                break
    await rests(service)


async def rests(service: Restartable) -> None:
    """Return once nothing is read any more, long before its end."""

    async def is_free() -> bool:
        return await service.program.metric("docparser_requests_running") == 0

    await eventually(is_free, 5)
    assert await service.program.metric("docparser_pages_total") < 25


def chat(pages: int, **fields: Any) -> dict[str, Any]:
    """Return a request of the chat interface for a document of so many pages."""
    data = base64.b64encode(document(pages)).decode()
    part = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}}
    return {"model": "fake", "messages": [{"role": "user", "content": [part]}]} | fields


async def test_events_are_followed_through_the_death_of_the_service(start: Start) -> None:
    service = await start(**SLOW_LIMITS)
    indices, last = [], None
    async with AsyncClient(service.url) as client:
        task = await client.submit(document(12))
        restarting = None
        async for event in client.events(task):
            last = event
            if isinstance(event, PageRead):
                indices.append(event.page.index)
                if len(indices) == 3:
                    await service.kill()
                    restarting = asyncio.create_task(service.start())
        assert restarting is not None
        await restarting
    assert sorted(indices) == list(range(12))
    assert isinstance(last, Finished)


async def test_a_chat_that_takes_too_long_leaves_no_task(start: Start) -> None:
    service = await start(requestTimeoutSeconds=1, fake={"pageMilliseconds": 1500})
    async with httpx.AsyncClient(base_url=service.url, timeout=30) as http:
        answer = await http.post(PATH_CHAT, json=chat(9))
    assert (answer.status_code, answer.json()["error"]["code"]) == (504, "request_timeout")
    async with AsyncClient(service.url) as client:
        (task,) = [task async for task in client.tasks()]
        assert (await client.wait(task, 30)).status == "cancelled"

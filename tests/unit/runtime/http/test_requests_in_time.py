"""Clients that leave or dawdle, and requests that come when all places are taken."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from docparser_api.runtime import UPLOAD_TIMEOUT_SECONDS
from docparser_runtime import body
from unit.runtime.doubles import PARSE, Service, StartService, a_document, eventually

PDF = {"content-type": "application/pdf"}


@dataclass
class Exchange:
    """One request, message by message."""

    app: Any
    incoming: asyncio.Queue[dict[str, Any]] = field(default_factory=asyncio.Queue)
    sent: list[dict[str, Any]] = field(default_factory=list)

    def start(self, headers: dict[str, str]) -> asyncio.Task[None]:
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": "POST",
            "scheme": "http",
            "path": PARSE,
            "raw_path": PARSE.encode(),
            "root_path": "",
            "query_string": b"",
            "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
            "client": ("127.0.0.1", 1),
            "server": ("test", 80),
        }

        async def send(message: dict[str, Any]) -> None:
            self.sent.append(message)

        return asyncio.create_task(self.app(scope, self.incoming.get, send))

    def body(self, content: bytes, *, more: bool = False) -> None:
        self.incoming.put_nowait({"type": "http.request", "body": content, "more_body": more})

    def leave(self) -> None:
        self.incoming.put_nowait({"type": "http.disconnect"})


async def test_who_leaves_during_the_upload_starts_no_work(service: Service) -> None:
    exchange = Exchange(service.app)
    task = exchange.start(PDF | {"transfer-encoding": "chunked"})
    exchange.body(b"{", more=True)
    await eventually(lambda: service.context.budget.taken_bytes == 1)
    exchange.leave()
    await asyncio.wait_for(task, 2)
    assert (exchange.sent, service.reader.opened) == ([], 0)
    assert service.context.budget.taken_bytes == 0
    assert service.log_lines("request")[-1]["status"] == 499


async def test_who_leaves_the_queue_frees_the_place(start: StartService) -> None:
    service = await start(max_concurrency=1)
    service.engine.hold()
    first = asyncio.create_task(service.context.service.parse(_upload()))
    await eventually(lambda: service.engine.running == 1)
    exchange = Exchange(service.app)
    task = exchange.start(PDF)
    exchange.body(a_document())
    await eventually(lambda: service.context.gate.waiting == 1)
    exchange.leave()
    await asyncio.wait_for(task, 2)
    assert service.context.gate.waiting == 0
    service.engine.release()
    await first


async def test_who_leaves_during_the_work_ends_it_between_pages(service: Service) -> None:
    service.engine.hold()
    exchange = Exchange(service.app)
    task = exchange.start(PDF)
    exchange.body(a_document(pages=100))
    await eventually(lambda: service.engine.running == 2)
    exchange.leave()
    await asyncio.wait_for(task, 2)
    assert service.context.gate.running == 1
    service.engine.release()
    await eventually(lambda: service.context.gate.running == 0)
    assert service.reader.closed == 1
    assert exchange.sent == []
    assert await service.metric("docparser_requests_total") == 1


async def test_a_full_queue_refuses_before_the_body_is_read(start: StartService) -> None:
    service = await start(max_concurrency=1, max_queue_length=0)
    service.engine.hold()
    first = asyncio.create_task(service.context.service.parse(_upload()))
    await eventually(lambda: service.engine.running == 1)
    read: list[bytes] = []

    async def content() -> AsyncIterator[bytes]:
        read.append(b"x")
        yield b"x"

    answer = await service.client.post(PARSE, content=content(), headers=PDF)
    assert (answer.status_code, answer.json()["code"]) == (429, "queue_full")
    assert int(answer.headers["retry-after"]) >= 1
    assert answer.headers["connection"] == "close"
    assert read == []
    service.engine.release()
    await first


async def test_bodies_share_a_bounded_memory(start: StartService) -> None:
    service = await start(max_concurrency=1, max_body_bytes=1000_000)
    slow = [Exchange(service.app) for _ in range(3)]
    tasks = [exchange.start(PDF | {"transfer-encoding": "chunked"}) for exchange in slow]
    for exchange in slow:
        exchange.body(b"x" * 1000_000, more=True)
    await eventually(lambda: service.context.budget.taken_bytes == 3_000_000)
    answer = await service.client.post(PARSE, content=b"y" * 10, headers=PDF)
    assert (answer.status_code, answer.json()["code"]) == (429, "queue_full")
    for exchange in slow:
        exchange.leave()
    await asyncio.gather(*tasks)
    assert service.context.budget.taken_bytes == 0
    answer = await service.client.post(PARSE, content=a_document(), headers=PDF)
    assert answer.status_code == 200


async def seconds_until_refused(exchange: Exchange, chunk: bytes, every_seconds: float) -> float:
    """Return how long a body that goes on and on is read; each chunk but the first comes late."""
    loop = asyncio.get_running_loop()
    began = loop.time()
    task = exchange.start(PDF | {"transfer-encoding": "chunked"})
    while not task.done():
        exchange.body(chunk, more=True)
        await asyncio.wait({task}, timeout=every_seconds)
    assert exchange.sent[0]["status"] == 408
    assert (b"connection", b"close") in exchange.sent[0]["headers"]
    assert b'"code":"body_timeout"' in exchange.sent[1]["body"]
    return loop.time() - began


@pytest.mark.looptime
@pytest.mark.parametrize("burst", [b"", b"x", b"x" * 60_000_000])
async def test_a_body_that_stalls_ends_the_request(start: StartService, burst: bytes) -> None:
    service = await start()
    seconds = await seconds_until_refused(Exchange(service.app), burst, every_seconds=1000)
    assert seconds == body.STALL_SECONDS
    assert service.context.budget.taken_bytes == 0


@pytest.mark.looptime
@pytest.mark.parametrize("every_seconds", [1, body.STALL_SECONDS - 1])
async def test_a_body_that_never_ends_ends_the_request(
    start: StartService, every_seconds: float
) -> None:
    service = await start()
    chunk = b"x" * body.LEAST_BYTES
    seconds = await seconds_until_refused(Exchange(service.app), chunk, every_seconds)
    assert seconds == UPLOAD_TIMEOUT_SECONDS
    assert service.context.budget.taken_bytes == 0


@pytest.mark.looptime
@pytest.mark.parametrize("chunk", [b"", b"x", b"x" * 270])
async def test_a_body_that_drips_ends_like_a_silent_one(start: StartService, chunk: bytes) -> None:
    service = await start()
    assert await seconds_until_refused(Exchange(service.app), chunk, 1) == body.STALL_SECONDS


@pytest.mark.looptime
async def test_the_largest_body_is_taken_at_a_fair_pace(start: StartService) -> None:
    service = await start()
    exchange = Exchange(service.app)
    task = exchange.start(PDF | {"transfer-encoding": "chunked"})
    size = service.context.config.max_body_bytes - len(b"no document")
    steps = UPLOAD_TIMEOUT_SECONDS - 1
    for _ in range(steps):
        exchange.body(b" " * (size // steps), more=True)
        await asyncio.sleep(1)
    exchange.body(b"no document")
    await task
    assert exchange.sent[0]["status"] == 415


def _upload() -> Any:
    from docparser_runtime.schemas import Options  # noqa: PLC0415
    from docparser_runtime.uploads import Upload  # noqa: PLC0415

    return Upload((a_document(),), Options())

"""Connections as the kernel sees them: real sockets on the loopback address."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any

import pytest
import uvicorn
from docparser_runtime.engine.base import PageResult
from docparser_runtime.protocol import LONGEST_HEAD_BYTES, READ_BYTES, GuardedProtocol
from docparser_runtime.server import listen
from unit.runtime.doubles import PARSE, StartService, a_document, eventually
from unit.runtime.http.connections import LIMIT, PROBE, QUICK, Client, Running, Server, request

pytestmark = pytest.mark.thorough  # real processes and connections, each with its own start


@pytest.fixture
async def running(start: StartService) -> AsyncIterator[Running]:
    service = await start(max_body_bytes=LIMIT)
    protocols: list[GuardedProtocol] = []

    class Protocol(GuardedProtocol):
        max_body_bytes = LIMIT
        patience = QUICK

        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            protocols.append(self)

    sock = listen("127.0.0.1", 0)
    server = Server(
        uvicorn.Config(
            service.app, http=Protocol, ws="none", lifespan="off", log_config=None,
            access_log=False, timeout_keep_alive=60,
        )
    )  # fmt: skip
    serving = asyncio.create_task(server.serve(sockets=[sock]))
    await eventually(lambda: server.started)
    yield Running(service, server, sock.getsockname()[1], protocols)
    server.should_exit = server.force_exit = True
    for protocol in list(server.server_state.connections):
        protocol.transport.abort()
    await serving


@pytest.fixture
async def client(running: Running) -> AsyncIterator[Client]:
    async with AsyncExitStack() as stack:
        client = await running.connect()
        stack.push_async_callback(client.close)
        yield client


async def test_a_connection_is_used_again_and_again(client: Client) -> None:
    for _ in range(3):
        await client.send(request(body=a_document()))
        status, headers, _ = await client.answer()
        assert (status, "connection" in headers) == (200, False)


@pytest.mark.parametrize("size", [1, 2, 3, 50])
async def test_a_request_may_come_in_pieces(client: Client, size: int) -> None:
    for data in (request(body=a_document()), b"\r\n" + request(body=a_document())):
        for start in range(0, len(data), size):
            await client.send(data[start : start + size])
            await asyncio.sleep(0)
        assert (await client.answer())[0] == 200


async def test_requests_may_come_all_at_once(client: Client) -> None:
    await client.send((request(body=a_document()) + PROBE) * 3)
    assert [(await client.answer())[0] for _ in range(6)] == [200] * 6


async def test_a_body_survives_the_offer_of_another_protocol(client: Client) -> None:
    # Java's HTTP client makes this offer with its first request.
    offer = ("Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMA")
    for _ in range(2):
        await client.send(request(*offer, body=a_document()))
        assert (await client.answer())[0] == 200


@pytest.mark.parametrize(
    "head",
    [
        b"GET /livez HTTP/1.1\r\nHost: test\r\nX: " + b"x" * LONGEST_HEAD_BYTES + b"\r\n\r\n",
        b"GET /livez HTTP/1.1\r\nHost: test\r\n" + b"X: y\r\n" * LONGEST_HEAD_BYTES,
        b"GET /" + b"x" * 10 * LONGEST_HEAD_BYTES,
        b"x" * 10 * LONGEST_HEAD_BYTES,
    ],
)
async def test_a_head_that_is_too_long(client: Client, head: bytes) -> None:
    await client.send(head)
    status, headers, body = await client.answer()
    assert (status, json.loads(body)["code"]) == (431, "head_too_large")
    assert headers["content-type"] == "application/problem+json"
    assert await client.is_closed()


@pytest.mark.parametrize(
    "head",
    [
        b"nonsense\r\n\r\n",
        b"GET /livez HTTP/9.9\r\n\r\n",
        b"GET /livez HTTP/1.1\r\nno colon\r\n\r\n",
        b"GET /livez HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        b"GET /livez HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        b"GET /livez HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"GET \xff HTTP/1.1\r\n\r\n",
    ],
)
async def test_a_head_that_is_malformed(client: Client, head: bytes) -> None:
    await client.send(head)
    status, headers, body = await client.answer()
    assert (status, json.loads(body)["code"]) == (400, "invalid_request")
    assert headers["content-type"] == "application/problem+json"
    assert await client.is_closed()


@pytest.mark.parametrize("first", [b"", PROBE])
async def test_a_head_that_takes_too_long(client: Client, first: bytes) -> None:
    if first:
        await client.send(first)
        await client.answer()
    await client.send(PROBE[:-1])
    status, _, body = await client.answer()
    assert (status, json.loads(body)["code"]) == (408, "head_timeout")
    assert await client.is_closed()


async def test_a_connection_without_a_request_is_closed(client: Client) -> None:
    assert await client.is_closed()


async def test_a_malformed_body_ends_the_request(running: Running, client: Client) -> None:
    await client.send(
        f"POST {PARSE} HTTP/1.1\r\nContent-Type: application/pdf\r\n"
        "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nnonsense\r\n".encode()
    )
    assert (await client.answer())[0] == 400
    assert await client.is_closed()
    await eventually(lambda: not running.server.server_state.tasks)


@pytest.mark.parametrize("is_chunked", [False, True])
async def test_a_refusal_reaches_a_client_that_is_still_sending(
    running: Running,
    client: Client,
    is_chunked: bool,  # noqa: FBT001
) -> None:
    """The client sends far more than the limit and looks for an answer only then."""
    size = 4 * LIMIT
    data = b"x" * size
    if is_chunked:
        head = request(length=0).replace(b"Content-Length: 0", b"Transfer-Encoding: chunked")
        data = b"%x\r\n%s\r\n" % (size, data)
    else:
        head = request(length=size)
    await client.send(head)
    client.writer.write(data)
    status, headers, body = await client.answer()
    assert (status, json.loads(body)["code"]) == (413, "document_too_large")
    assert headers["connection"] == "close"
    assert running.protocols[0]._body_bytes <= LIMIT + READ_BYTES
    assert await client.is_closed()


async def test_the_body_of_a_request_that_needs_none_is_not_read_without_end(
    running: Running, client: Client
) -> None:
    await client.send(b"GET /livez HTTP/1.1\r\nContent-Length: 1000000000\r\n\r\n")
    assert (await client.answer())[0] == 200
    client.writer.write(b"x" * 4 * LIMIT)
    assert await client.is_closed()
    assert running.protocols[0]._body_bytes <= LIMIT + READ_BYTES


async def test_a_client_that_waits_for_permission_is_refused_before_it_sends(
    client: Client,
) -> None:
    await client.send(request("Expect: 100-continue", length=LIMIT + 1))
    assert (await client.answer())[0] == 413


async def test_a_reader_that_stalls_is_dropped(running: Running, client: Client) -> None:
    running.service.engine.read = lambda *_: PageResult("x" * 5_000_000)
    client.writer.transport.pause_reading()  # type: ignore[attr-defined]
    await client.send(request(body=a_document()))
    await eventually(lambda: running.server.server_state.total_requests == 1)
    await eventually(lambda: not running.server.server_state.connections)


async def test_leaving_closes_idle_connections(running: Running, client: Client) -> None:
    await client.send(PROBE)
    await client.answer()
    await running.stop()
    assert await client.is_closed()


@pytest.mark.parametrize("first", [b"", PROBE])
async def test_leaving_waits_for_a_request_that_is_on_its_way(
    running: Running, client: Client, first: bytes
) -> None:
    if first:
        await client.send(first)
        await client.answer()
    await client.send(PROBE[:9])
    await eventually(lambda: bool(running.protocols[0]._head))
    running.server.should_exit = True
    await eventually(lambda: not running.server.servers[0].is_serving())
    await client.send(PROBE[9:])
    status, headers, _ = await client.answer()
    assert (status, headers["connection"]) == (200, "close")
    assert await client.is_closed()


async def test_leaving_finishes_what_was_accepted(running: Running, client: Client) -> None:
    running.service.engine.hold()
    await client.send(request(body=a_document()))
    await eventually(lambda: running.service.engine.running == 1)
    running.server.should_exit = True
    await eventually(lambda: not running.server.servers[0].is_serving())
    running.service.engine.release()
    status, headers, _ = await client.answer()
    assert (status, headers["connection"]) == (200, "close")
    assert await client.is_closed()

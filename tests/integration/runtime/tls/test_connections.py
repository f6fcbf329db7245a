"""Encrypted connections hold the same limits as others: real sockets on the loopback address."""

import asyncio
import json
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import Any, cast

import pytest
import uvicorn
from docparser_runtime.engine.base import PageResult
from docparser_runtime.protocol import LONGEST_HEAD_BYTES, GuardedProtocol
from docparser_runtime.security.handshake import Pace, behind_tls
from docparser_runtime.security.tls import Tls
from docparser_runtime.server import listen
from support.certificates import Certificates
from unit.runtime.doubles import StartService, a_document, eventually
from unit.runtime.http.connections import LIMIT, PROBE, QUICK, Client, Running, Server, request

PACE = Pace(handshake_seconds=0.3, farewell_seconds=0.05)
PATIENCE = replace(QUICK, head_seconds=0.5)
MOST_UNASKED_BYTES = 512 * 1024
"""TLS reads up to 256 KiB at a time, and has as much in its hands."""
Connect = Callable[..., Any]


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    return Certificates.make(tmp_path_factory.mktemp("certificates"))


@pytest.fixture
async def running(start: StartService, certificates: Certificates) -> AsyncIterator[Running]:
    service = await start(max_body_bytes=LIMIT)
    protocols: list[GuardedProtocol] = []

    class Protocol(GuardedProtocol):
        max_body_bytes = LIMIT
        patience = PATIENCE

        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            protocols.append(self)

    http = behind_tls(Protocol, Tls(certificates.files()), PACE)
    sock = listen("127.0.0.1", 0)
    server = Server(
        uvicorn.Config(
            service.app, http=cast("Any", http), ws="none", lifespan="off", log_config=None,
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


def drop(writer: asyncio.StreamWriter) -> None:
    writer.close()
    writer.transport.abort()


@pytest.fixture
async def connect(running: Running, certificates: Certificates) -> AsyncIterator[Connect]:
    """Yield a function that connects, encrypted unless told otherwise."""
    async with AsyncExitStack() as stack:

        async def connected(tls: ssl.SSLContext | None = None, *, plain: bool = False) -> Client:
            context = None if plain else tls or certificates.client()
            opening = asyncio.open_connection("127.0.0.1", running.port, ssl=context, limit=2**20)
            client = Client(*await opening)
            stack.callback(drop, client.writer)
            return client

        yield connected


async def test_a_connection_is_used_again_and_again(connect: Connect) -> None:
    client = await connect()
    for _ in range(3):
        await client.send(request(body=a_document()))
        status, headers, _ = await client.answer()
        assert (status, "connection" in headers) == (200, False)
        assert headers["strict-transport-security"] == "max-age=31536000"
    await client.send((request(body=a_document()) + PROBE) * 3)
    assert [(await client.answer())[0] for _ in range(6)] == [200] * 6


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
async def test_a_request_that_comes_with_the_end_of_the_handshake(
    running: Running, certificates: Certificates, version: ssl.TLSVersion
) -> None:
    context = certificates.client()
    context.minimum_version = context.maximum_version = version
    reader, writer = await asyncio.open_connection("127.0.0.1", running.port)
    inward, outward = ssl.MemoryBIO(), ssl.MemoryBIO()
    tls = context.wrap_bio(inward, outward, server_hostname="localhost")
    while True:
        try:
            tls.do_handshake()
            break
        except ssl.SSLWantReadError:
            writer.write(outward.read())
            inward.write(await reader.read(2**16))
    tls.write(PROBE)
    writer.write(outward.read())  # the last message of the handshake and the request at once
    answer = b""
    async with asyncio.timeout(5):
        while b"alive" not in answer:
            try:
                answer += tls.read(2**16)
            except ssl.SSLWantReadError:
                inward.write(await reader.read(2**16))
    assert answer.startswith(b"HTTP/1.1 200 ")
    drop(writer)


@pytest.mark.parametrize("first", [b"", b"\x16\x03\x01\x02\x00\x01\x00"])
async def test_a_handshake_that_takes_too_long(connect: Connect, first: bytes) -> None:
    client = await connect(plain=True)
    began = asyncio.get_running_loop().time()
    await client.send(first)
    assert await client.is_closed()
    assert asyncio.get_running_loop().time() - began < 10 * PACE.handshake_seconds


async def test_what_is_not_encrypted_is_not_answered(running: Running, connect: Connect) -> None:
    client = await connect(plain=True)
    await client.send(PROBE)
    assert not (await client.reader.read()).startswith(b"HTTP")
    assert running.protocols[0].cycle is None
    assert (await (await connect()).send(PROBE)) is None


async def test_versions_that_are_too_old_are_refused(
    connect: Connect, certificates: Certificates
) -> None:
    context = certificates.client()
    context.set_ciphers("ALL:@SECLEVEL=0")
    with pytest.warns(DeprecationWarning, match="TLSv1_1 is deprecated"):
        context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1_1
    with pytest.raises((ssl.SSLError, ConnectionError)):
        await connect(context)


@pytest.mark.parametrize("first", [b"", PROBE])
async def test_a_head_that_takes_too_long(connect: Connect, first: bytes) -> None:
    client = await connect()
    if first:
        await client.send(first)
        await client.answer()
    await client.send(PROBE[:-1])
    status, headers, body = await client.answer()
    assert (status, json.loads(body)["code"]) == (408, "head_timeout")
    assert headers["x-content-type-options"] == "nosniff"
    assert await client.is_closed()


async def test_a_connection_without_a_request_is_closed(connect: Connect) -> None:
    assert await (await connect()).is_closed()


async def test_a_head_that_is_too_long(connect: Connect) -> None:
    client = await connect()
    await client.send(b"GET /" + b"x" * 10 * LONGEST_HEAD_BYTES)
    status, _, body = await client.answer()
    assert (status, json.loads(body)["code"]) == (431, "head_too_large")
    assert await client.is_closed()


async def test_a_refusal_reaches_a_client_that_is_still_sending(
    running: Running, connect: Connect
) -> None:
    client, size = await connect(), 8 * LIMIT
    await client.send(request(length=size))
    client.writer.write(b"x" * size)
    status, headers, body = await client.answer()
    assert (status, json.loads(body)["code"]) == (413, "document_too_large")
    assert headers["connection"] == "close"
    assert running.protocols[0]._body_bytes <= LIMIT + MOST_UNASKED_BYTES
    assert await client.is_closed()


async def test_a_reader_that_stalls_is_dropped(running: Running, connect: Connect) -> None:
    running.service.engine.read = lambda *_: PageResult("x" * 5_000_000)
    client = await connect()
    client.writer.transport.pause_reading()
    await client.send(request(body=a_document()))
    await eventually(lambda: running.server.server_state.total_requests == 1)
    await eventually(lambda: not running.server.server_state.connections)


async def test_a_slow_reader_gets_all_of_its_last_answer(
    running: Running, connect: Connect
) -> None:
    """It needs longer than TLS itself gives a connection that is closed."""
    running.service.engine.read = lambda *_: PageResult("x" * 10_000_000)
    client = await connect()
    await client.send(request("Connection: close", "Accept: text/markdown", body=a_document()))
    head = await client.reader.readuntil(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 ")
    size, waits = 0, 0
    while chunk := await client.reader.read(2**20):
        size += len(chunk)
        waits += 1
        await asyncio.sleep(0.02)
    assert (size, waits > 5) == (10_000_000, True)


async def test_a_client_that_leaves_ends_its_work(running: Running, connect: Connect) -> None:
    running.service.engine.hold()
    client = await connect()
    await client.send(request(body=a_document()))
    await eventually(lambda: running.service.engine.running == 1)
    await client.close()
    await eventually(lambda: not running.server.server_state.tasks)
    assert running.service.log_lines("request")[-1]["code"] == "client_gone"


@pytest.mark.parametrize("first", [b"", PROBE])
async def test_leaving_waits_for_a_request_that_is_on_its_way(
    running: Running, connect: Connect, first: bytes
) -> None:
    client = await connect()
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

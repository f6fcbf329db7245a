import asyncio
from collections.abc import AsyncIterator, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any

from localcluster import forwarder

LOOPBACK = "127.0.0.1"


async def until_the_end(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answers only once it has heard the caller's end: the forwarder must pass it on."""
    heard = await reader.read()
    writer.write(heard.upper())
    await writer.drain()
    writer.close()


@asynccontextmanager
async def forwarding(target_port: int) -> AsyncIterator[int]:
    async def accepted(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await forwarder.forward(reader, writer, (LOOPBACK, target_port))

    async with await asyncio.start_server(accepted, LOOPBACK, 0) as server:
        yield server.sockets[0].getsockname()[1]


async def ask(port: int, text: bytes) -> bytes:
    reader, writer = await asyncio.open_connection(LOOPBACK, port)
    writer.write(text)
    writer.write_eof()
    answer = await reader.read()
    writer.close()
    await writer.wait_closed()
    return answer


def run(work: Coroutine[Any, Any, bytes]) -> bytes:
    """In a thread of its own, as the forwarder has no other work in its process."""
    with ThreadPoolExecutor(max_workers=1) as thread:
        return thread.submit(asyncio.run, work).result()


def test_both_directions_and_their_ends_are_passed_on() -> None:
    text = b"a" * 300_000

    async def exchange() -> bytes:
        async with (
            await asyncio.start_server(until_the_end, LOOPBACK, 0) as far,
            forwarding(far.sockets[0].getsockname()[1]) as port,
        ):
            return await ask(port, text)

    assert run(exchange()) == text.upper()


def test_a_target_that_is_down_ends_the_connection() -> None:
    async def exchange() -> bytes:
        async with await asyncio.start_server(until_the_end, LOOPBACK, 0) as far:
            closed_port = far.sockets[0].getsockname()[1]
        async with forwarding(closed_port) as port:
            return await ask(port, b"")

    assert run(exchange()) == b""

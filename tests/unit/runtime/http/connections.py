"""A server on the loopback address, and a client that decides about every byte."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

import uvicorn
from docparser_runtime.protocol import GuardedProtocol
from docparser_runtime.wire import Patience
from unit.runtime.doubles import PARSE, Service, eventually

LIMIT = 256 * 1024
QUICK = Patience(head_seconds=0.2, stall_seconds=0.2, linger_seconds=0.3, last_call_seconds=0.2)


class Server(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@dataclass
class Running:
    service: Service
    server: Server
    port: int
    protocols: list[GuardedProtocol]

    async def connect(self) -> "Client":
        return Client(*await asyncio.open_connection("127.0.0.1", self.port, limit=2**20))

    async def stop(self) -> None:
        self.server.should_exit = True
        await eventually(lambda: not self.server.server_state.connections)


@dataclass
class Client:
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def answer(self) -> tuple[int, dict[str, str], bytes]:
        async with asyncio.timeout(5):
            head = (await self.reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
            headers = dict(line.lower().split(": ", 1) for line in head[1:] if line)
            body = await self.reader.readexactly(int(headers["content-length"]))
        return int(head[0].split()[1]), headers, body

    async def is_closed(self) -> bool:
        async with asyncio.timeout(5):
            try:
                return await self.reader.read(1) == b""
            except ConnectionError:
                return True

    async def close(self) -> None:
        self.writer.close()
        with suppress(ConnectionError):
            await self.writer.wait_closed()


def request(*headers: str, body: bytes = b"", length: int | None = None) -> bytes:
    lines = [f"POST {PARSE} HTTP/1.1", "Host: test", "Content-Type: application/pdf"]
    lines += [*headers, f"Content-Length: {len(body) if length is None else length}", "", ""]
    return "\r\n".join(lines).encode() + body


PROBE = b"GET /livez HTTP/1.1\r\nHost: test\r\n\r\n"

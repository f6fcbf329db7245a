"""A web server on loopback that counts connections, keeps requests, and answers as it is told."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"


@dataclass(frozen=True)
class Received:
    """A request."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


def answered(status: int, *headers: str, body: bytes = b"") -> bytes:
    """Return an answer as it goes over the wire."""
    lines = [f"HTTP/1.1 {status} Any", f"Content-Length: {len(body)}", "Connection: close"]
    return "\r\n".join([*lines, *headers, "", ""]).encode() + body


@dataclass
class Receiver:
    """What came, and what is answered.

    Attributes:
        answer: returns the bytes that are sent back; None to say nothing.
        names: what TLS clients asked for.
    """

    answer: Callable[[Received], bytes | None] = lambda _: OK
    connections: int = 0
    requests: list[Received] = field(default_factory=list)
    names: list[str | None] = field(default_factory=list)
    port: int = 0

    @asynccontextmanager
    async def running(self, tls: ssl.SSLContext | None = None) -> AsyncIterator["Receiver"]:
        """Listen on 127.0.0.1 while the body runs."""
        if tls is not None:
            tls.sni_callback = lambda _, name, __: self.names.append(name)
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0, ssl=tls)
        self.port = server.sockets[0].getsockname()[1]
        try:
            yield self
        finally:
            server.close()
            await server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            with suppress(ConnectionError, asyncio.IncompleteReadError):
                received = await _request(reader)
                self.requests.append(received)
                content = self.answer(received)
                if content is None:
                    await reader.read()
                else:
                    writer.write(content)
                    await writer.drain()
        finally:
            writer.close()
            with suppress(ConnectionError, ssl.SSLError):
                await writer.wait_closed()


async def _request(reader: asyncio.StreamReader) -> Received:
    head = (await reader.readuntil(b"\r\n\r\n")).decode()
    first, *lines = head.strip().split("\r\n")
    method, path, _ = first.split(" ")
    pairs = (line.partition(":") for line in lines)
    headers = {name.lower(): value.strip() for name, _, value in pairs}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Received(method, path, headers, body)

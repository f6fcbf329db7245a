"""A parser process as the service holds it: asked, and always ended."""

import asyncio
import socket
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from docparser_runtime.documents.failures import Death
from docparser_runtime.documents.replies import Drawn, Ready, Reply, Saved, parse_reply
from docparser_runtime.parser_child import frames
from docparser_runtime.parser_child.limits import Limits
from docparser_runtime.parser_child.zygote import REPORT

END_SECONDS = 10
"""Longest wait for the news that a killed process is dead, on a node that is busy."""

Pixels = NDArray[np.uint8]
Payload = Pixels | bytearray | None
"""What follows an answer: the pixels of a page, a file, or nothing."""


class ProcessGone(Exception):  # noqa: N818 - the name says it
    """The process closed its socket."""


class ProtocolViolation(Exception):  # noqa: N818 - the name says it
    """The process sent something that no honest one sends."""


class ParserProcess:
    """One parser, by its two sockets. Used by one task at a time.

    `connection` leads to the parser. `report` leads to its zygote, which sends how the parser
    ended, and kills it when `report` is hung up.
    """

    def __init__(self, connection: socket.socket, report: socket.socket, limits: Limits) -> None:
        connection.setblocking(False)  # noqa: FBT003 - its only form
        report.setblocking(False)  # noqa: FBT003 - its only form
        self._connection = connection
        self._report = report
        self._limits = limits
        self._ending: asyncio.Task[Death] | None = None

    async def greeting(self) -> Ready:
        """Return the first word of the process.

        Raises:
            ProcessGone: it ended at once.
            ProtocolViolation: it greets in another way.
        """
        reply, _ = await self._receive(0)
        if not isinstance(reply, Ready):
            raise ProtocolViolation
        return reply

    async def ask(
        self, head: Mapping[str, Any], payload: bytes = b"", most_saved: int = 0
    ) -> tuple[Reply, Payload]:
        """Send a request and return the answer, with pixels if it is a page.

        If it is a file, it has at most `most_saved` bytes.

        Raises:
            ProcessGone: the process died.
            ProtocolViolation: the answer has not the form or size of one.
        """
        if self._ending is not None:
            raise ProcessGone
        loop = asyncio.get_running_loop()
        try:
            await loop.sock_sendall(self._connection, frames.head_and_prefix(head, len(payload)))
            if payload:
                await loop.sock_sendall(self._connection, payload)
            return await self._receive(most_saved)
        except (BrokenPipeError, ConnectionResetError):
            raise ProcessGone from None

    @property
    def is_alive(self) -> bool:
        """Whether the process runs; it may still die at any moment."""
        try:
            self._report.recv(1, socket.MSG_PEEK)
        except BlockingIOError:
            return True
        # Its end was reported, or the zygote is gone.
        return False

    async def end(self) -> Death:
        """Kill the process if it still runs, free everything, and return how it ended.

        May be called again, and from several tasks.
        """
        if self._ending is None:
            self._ending = asyncio.get_running_loop().create_task(self._ended())
        return await asyncio.shield(self._ending)

    def close(self) -> None:
        """Free the sockets of a process that was never started or has ended."""
        self._connection.close()
        self._report.close()

    async def _ended(self) -> Death:
        loop = asyncio.get_running_loop()
        try:
            self._report.shutdown(socket.SHUT_WR)
            async with asyncio.timeout(END_SECONDS):
                report = await loop.sock_recv(self._report, REPORT.size)
        except (OSError, TimeoutError):
            report = b""
        finally:
            self.close()
        if len(report) < REPORT.size:
            return Death(exit_code=None, grown_bytes=0)
        return Death(*REPORT.unpack(report))

    async def _receive(self, most_saved: int) -> tuple[Reply, Payload]:
        prefix = await self._exactly(memoryview(bytearray(frames.PREFIX.size)))
        head_length, payload_length = frames.PREFIX.unpack(prefix)
        if head_length > frames.LONGEST_REPLY_HEAD:
            raise ProtocolViolation
        head = await self._exactly(memoryview(bytearray(head_length)))
        try:
            reply = parse_reply(bytes(head))
        except ValueError:
            raise ProtocolViolation from None
        if isinstance(reply, Drawn):
            return reply, await self._pixels(reply, payload_length)
        if isinstance(reply, Saved) and payload_length <= most_saved:
            content = bytearray(payload_length)
            await self._exactly(memoryview(content))
            return reply, content
        if payload_length:
            raise ProtocolViolation
        return reply, None

    async def _pixels(self, drawn: Drawn, payload_length: int) -> Pixels:
        area = drawn.width * drawn.height
        if area > self._limits.page_pixels or payload_length != 3 * area:
            raise ProtocolViolation
        pixels = np.empty((drawn.height, drawn.width, 3), np.uint8)
        await self._exactly(pixels.data.cast("B"))
        return pixels

    async def _exactly(self, view: memoryview) -> memoryview:
        """Fill `view` from the socket and return it."""
        loop = asyncio.get_running_loop()
        filled = 0
        while filled < len(view):
            count = await loop.sock_recv_into(self._connection, view[filled:])
            if count == 0:
                raise ProcessGone
            filled += count
        return view

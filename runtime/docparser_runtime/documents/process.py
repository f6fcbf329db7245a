"""A parser process as the service holds it: started, asked, and always ended."""

import asyncio
import resource
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from docparser_runtime.documents.failures import Death
from docparser_runtime.documents.replies import Drawn, Ready, Reply, parse_reply
from docparser_runtime.parser_child import frames
from docparser_runtime.parser_child.limits import Limits

# -I: neither the environment nor the current directory decides what is imported.
COMMAND = (sys.executable, "-I", "-m", "docparser_runtime.parser_child")

WATCH_SECONDS = 0.02
"""Time between two looks at the memory of a process that is at work."""

Pixels = NDArray[np.uint8]


class ProcessGone(Exception):  # noqa: N818 - the name says it
    """The process closed its socket."""


class ProtocolViolation(Exception):  # noqa: N818 - the name says it
    """The process sent something that no honest one sends."""


class ParserProcess:
    """One child process and the socket to it. Used by one task at a time.

    Blocking calls (starting, waiting for the end) run on `executor`, whose
    threads must outlive the process: the kernel kills it with its starter.
    """

    def __init__(
        self, executor: Executor, limits: Limits, command: Sequence[str] = COMMAND
    ) -> None:
        self._executor = executor
        self._limits = limits
        self._command = command
        self._starting: asyncio.Future[None] | None = None
        self._ending: asyncio.Task[Death] | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._socket: socket.socket | None = None
        self._idle_bytes = 0
        self._peak_bytes = 0

    async def start(self) -> Ready:
        """Start the process and return its greeting.

        Raises:
            OSError: it cannot be started.
            ProcessGone: it ended at once.
            ProtocolViolation: it greets in another way.
        """
        loop = asyncio.get_running_loop()
        self._starting = loop.run_in_executor(self._executor, self._start)
        # Shielded: a start that nobody waits for any more still has to be undone by `end`.
        await asyncio.shield(self._starting)
        reply, _ = await self._receive()
        if not isinstance(reply, Ready):
            raise ProtocolViolation
        self._idle_bytes = self._resident_bytes()
        return reply

    async def ask(
        self, head: Mapping[str, Any], payload: bytes = b""
    ) -> tuple[Reply, Pixels | None]:
        """Send a request and return the answer, with pixels if it is a page.

        Raises:
            ProcessGone: the process died.
            ProtocolViolation: the answer has not the form or size of one.
        """
        loop = asyncio.get_running_loop()
        watch = loop.create_task(self._watch_memory())
        try:
            await loop.sock_sendall(self._connection, frames.head_and_prefix(head, len(payload)))
            await loop.sock_sendall(self._connection, payload)
            return await self._receive()
        except (BrokenPipeError, ConnectionResetError):
            raise ProcessGone from None
        finally:
            watch.cancel()

    @property
    def is_alive(self) -> bool:
        """Whether the process runs; it may still die at any moment."""
        return self._process is not None and self._process.poll() is None

    async def end(self) -> Death:
        """Kill the process if it still runs, free everything, and return how it ended.

        May be called again, and from several tasks.
        """
        self._kill()
        if self._ending is None:
            self._ending = asyncio.get_running_loop().create_task(self._ended())
        return await asyncio.shield(self._ending)

    async def _ended(self) -> Death:
        if self._starting is not None:
            await asyncio.wait([self._starting])
        return await asyncio.get_running_loop().run_in_executor(self._executor, self._reap)

    def _start(self) -> None:
        ours, theirs = socket.socketpair()
        ours.setblocking(False)  # noqa: FBT003 - its only form
        self._socket = ours
        with theirs:
            self._process = subprocess.Popen(  # noqa: S603 - every part of it is our own
                [*self._command, self._limits.dumps()],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                env={},
                start_new_session=True,
            )

    def _kill(self) -> None:
        if self._process is not None:
            self._process.kill()

    def _reap(self) -> Death:
        if self._socket is not None:
            self._socket.close()
            self._socket = None
        process = self._process
        if process is None:
            return Death(exit_code=0, grown_bytes=0)
        self._kill()
        self._process = None
        return Death(process.wait(), max(0, self._peak_bytes - self._idle_bytes))

    async def _watch_memory(self) -> None:
        """Note how much memory the process holds at most, until cancelled.

        Its resource usage would tell afterwards, but that counts from the
        start, when the process was still a copy of this large one.
        """
        while True:
            self._peak_bytes = max(self._peak_bytes, self._resident_bytes())
            await asyncio.sleep(WATCH_SECONDS)

    def _resident_bytes(self) -> int:
        if self._process is None:
            return 0
        try:
            pages = Path(f"/proc/{self._process.pid}/statm").read_text().split()[1]
        except OSError:
            return 0
        return int(pages) * resource.getpagesize()

    async def _receive(self) -> tuple[Reply, Pixels | None]:
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

    @property
    def _connection(self) -> socket.socket:
        if self._socket is None:
            raise ProcessGone
        return self._socket

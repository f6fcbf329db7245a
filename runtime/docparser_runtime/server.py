"""Serves until the process is told to leave, and then leaves without losing a request.

SIGTERM: `/readyz` says no at once; for `lameDuckSeconds` requests are still accepted, each answer
closing its connection; then the listener closes, what was accepted is finished, and the process
ends. A body that is still on its way then has the time that any body has, and no more. More signals
change nothing, but a second SIGINT (a person at the keyboard) skips the wait.
"""

import asyncio
import errno
import signal
import socket
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, cast

import uvicorn
from docparser_api.runtime import DRAIN_MARGIN_SECONDS, RuntimeConfig, longest_drain_seconds
from starlette.types import ASGIApp

from docparser_runtime.lifecycle import Lifecycle
from docparser_runtime.logs import Log
from docparser_runtime.protocol import GuardedProtocol, bounded
from docparser_runtime.security.assembly import Doors
from docparser_runtime.security.handshake import Pace, behind_tls
from docparser_runtime.waiting import happens_within

_KEEP_ALIVE_SECONDS: Final = 75
"""Longer than load balancers keep idle connections, so that they close first."""
_BACKLOG: Final = 2048
EVERY_ADDRESS: Final = "::"
_EVERY_IPV4_ADDRESS: Final = "0.0.0.0"  # noqa: S104 (a service of a pod is for its network)
_WITHOUT_IPV6: Final = (errno.EAFNOSUPPORT, errno.EADDRNOTAVAIL)


class ListenError(Exception):
    """The address cannot be listened on."""


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens on `host` and `port`.

    `EVERY_ADDRESS` means those of IPv4 too, and these alone where the machine has no IPv6.

    Raises:
        ListenError: it cannot.
    """
    try:
        sock = _listen_everywhere(port) if host == EVERY_ADDRESS else _listen_on(host, port)
        # Connections inherit it. Without, the second part of an answer waits for the client to
        # acknowledge the first, which clients put off by some 40 ms.
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    except (OSError, OverflowError) as error:
        raise ListenError(f"cannot listen on {host}, port {port}: {error}") from None
    return sock


def _listen_on(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    return socket.create_server((host, port), family=family, backlog=_BACKLOG)


def _listen_everywhere(port: int) -> socket.socket:
    if socket.has_dualstack_ipv6():
        try:
            return socket.create_server(
                (EVERY_ADDRESS, port), family=socket.AF_INET6, backlog=_BACKLOG, dualstack_ipv6=True
            )
        except OSError as error:
            if error.errno not in _WITHOUT_IPV6:
                raise
    return socket.create_server((_EVERY_IPV4_ADDRESS, port), backlog=_BACKLOG)


@dataclass(frozen=True)
class Serving:
    """What is served.

    Attributes:
        load: gets ready; returns whether documents can be read.
        sock: listens already.
    """

    app: ASGIApp
    lifecycle: Lifecycle
    load: Callable[[], Awaitable[bool]]
    config: RuntimeConfig
    log: Log
    sock: socket.socket
    doors: Doors

    async def run(self) -> None:
        """Serve until told to leave, or until the engine cannot be loaded."""
        server = _Server(self._uvicorn_config())
        told, hurried = asyncio.Event(), asyncio.Event()
        _on_signals(told, hurried)
        leaving = asyncio.create_task(self._leave(server, told, hurried))
        loading = asyncio.create_task(self._load(server))
        watching = [asyncio.create_task(files.watch()) for files in self.doors.watched]
        host, port = self.sock.getsockname()[:2]
        self.log.info("listening", host=host, port=port, tls=self.doors.tls is not None)
        await server.serve(sockets=[self.sock])
        for task in (leaving, loading, *watching):
            task.cancel()
        self.log.info("stopped")

    async def _load(self, server: "_Server") -> None:
        if not await self.load():
            server.should_exit = True

    async def _leave(self, server: "_Server", told: asyncio.Event, hurried: asyncio.Event) -> None:
        await told.wait()
        self.lifecycle.drain()
        self.log.info("draining", lame_duck_seconds=self.config.lame_duck_seconds)
        await happens_within(hurried, self.config.lame_duck_seconds)
        server.should_exit = True

    def _uvicorn_config(self) -> uvicorn.Config:
        patience = longest_drain_seconds(self.config) - self.config.lame_duck_seconds
        http = bounded(self.config.max_body_bytes)
        if self.doors.tls is not None:
            secured = behind_tls(http, self.doors.tls, Pace())
            http = cast("type[GuardedProtocol]", secured)
        return uvicorn.Config(
            self.app,
            loop="asyncio",
            http=http,
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            server_header=False,
            timeout_keep_alive=_KEEP_ALIVE_SECONDS,
            timeout_graceful_shutdown=patience + DRAIN_MARGIN_SECONDS // 2,
        )


class _Server(uvicorn.Server):
    """uvicorn that leaves signals to us."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Do nothing."""
        yield


def _on_signals(told: asyncio.Event, hurried: asyncio.Event) -> None:
    def interrupt() -> None:
        if told.is_set():
            hurried.set()
        told.set()

    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, told.set)
    loop.add_signal_handler(signal.SIGINT, interrupt)

"""The first protocol of an encrypted connection: shakes hands, then makes way for HTTP.

The server listens without encryption, so that each connection gets the certificate of its own
moment, has a bounded time for its handshake, and its HTTP protocol knows the transport below, whose
buffer tells whether the peer takes what it is sent.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

from docparser_runtime.protocol import GuardedProtocol
from docparser_runtime.security.tls import Tls


@dataclass(frozen=True)
class Pace:
    """How long the peer may take.

    Attributes:
        handshake_seconds: from the connection to its first request.
        farewell_seconds: to confirm that the connection ends.
    """

    handshake_seconds: float = 30
    farewell_seconds: float = 2


class Handshake(asyncio.Protocol):
    """Waits for the handshake; `http` takes over afterwards."""

    def __init__(self, http: GuardedProtocol, tls: Tls, pace: Pace) -> None:
        self._http = http
        self._tls = tls
        self._pace = pace
        self._shaking: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin."""
        below = cast("asyncio.Transport", transport)
        below.pause_reading()
        self._shaking = asyncio.get_running_loop().create_task(self._shake_hands(below))

    async def _shake_hands(self, below: asyncio.Transport) -> None:
        early = _Early()
        try:
            secured = await asyncio.get_running_loop().start_tls(
                below,
                early,
                self._tls.context,
                server_side=True,
                ssl_handshake_timeout=self._pace.handshake_seconds,
                ssl_shutdown_timeout=self._pace.farewell_seconds,
            )
        except OSError:
            below.abort()  # it speaks no TLS, too slowly, or not ours
            return
        if secured is None or early.is_lost:
            below.abort()
            return
        early.make_way(secured, below, self._http)


class _Early(asyncio.Protocol):
    """Keeps what comes between the end of the handshake and the beginning of HTTP."""

    def __init__(self) -> None:
        self.is_lost = False
        self._data = bytearray()

    def data_received(self, data: bytes) -> None:
        self._data += data

    def eof_received(self) -> None:
        self.is_lost = True

    def connection_lost(self, _: Exception | None) -> None:
        self.is_lost = True

    def make_way(
        self, secured: asyncio.Transport, below: asyncio.Transport, http: GuardedProtocol
    ) -> None:
        """Put `http` in the place of this protocol."""
        http.below = below
        secured.set_protocol(http)
        http.connection_made(secured)
        if self._data:
            http.data_received(bytes(self._data))


def behind_tls(
    http: type[GuardedProtocol], tls: Tls, pace: Pace
) -> Callable[..., asyncio.Protocol]:
    """Return what makes the protocol of a connection that speaks `http` inside of TLS."""

    def protocol(*args: Any, **kwargs: Any) -> asyncio.Protocol:
        return Handshake(http(*args, **kwargs), tls, pace)

    return protocol

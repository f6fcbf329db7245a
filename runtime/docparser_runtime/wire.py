"""The sending side of a connection: notices readers that stall, closes without losing the answer.

Closing a socket while the peer still sends makes the kernel reset the connection, and the answer
may be lost on its way. A close in mid-body therefore sends the end of the answer first and goes on
reading, throwing away what comes, for a little while.
"""

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

_FINISH_SECONDS: Final = 0.05
"""Time between two looks whether the rest of an answer has been sent."""


@dataclass(frozen=True)
class Patience:
    """How long to wait for the peer.

    Attributes:
        head_seconds: time that a request's head may take.
        stall_seconds: time in which a reader must take some of its answer.
        linger_seconds: time for the peer to see an early answer and to close.
        last_call_seconds: time for a request that is on its way when the server leaves.
    """

    head_seconds: float = 30
    stall_seconds: float = 30
    linger_seconds: float = 2
    last_call_seconds: float = 1


class Wire:
    """A transport, as uvicorn's protocol uses it.

    Attributes:
        lingering: whether the answer has been sent and what still comes is thrown away.
        body_is_open: whether the peer may still be sending a request's body.
        body_is_too_long: whether no more of it is read.
    """

    def __init__(
        self,
        transport: asyncio.Transport,
        below: asyncio.Transport,
        loop: asyncio.AbstractEventLoop,
        patience: Patience,
    ) -> None:
        """Send on `transport`, which encrypts for `below` or is the same."""
        self.lingering = False
        self.body_is_open = False
        self.body_is_too_long = False
        self._transport = transport
        self._below = below
        self._closing = False
        self._loop = loop
        self._patience = patience
        self._timers: list[asyncio.TimerHandle] = []
        self._watching = False

    def __getattr__(self, name: str) -> Any:
        """Return what the transport has; only closing and writing differ."""
        return getattr(self._transport, name)

    def is_closing(self) -> bool:
        """Return whether no further request may be answered."""
        return self.lingering or self._closing or self._transport.is_closing()

    def write(self, data: bytes) -> None:
        """Send `data`, and hang up if the peer stops taking it."""
        if not self.lingering:
            self._transport.write(data)
            self._watch()

    def close(self) -> None:
        """Close once everything is sent; in mid-body, let the peer read its answer first."""
        if self.is_closing():
            return
        if not self.body_is_open:
            self._finish()
            return
        self.lingering = True
        if self._transport.can_write_eof():  # TLS cannot; there, the answer's length is its end
            with suppress(OSError):  # the peer may be gone already
                self._transport.write_eof()
        if not self.body_is_too_long:
            self._transport.resume_reading()
        self._later(self._patience.linger_seconds, self._transport.abort)

    def forget(self) -> None:
        """Cancel what was planned: the connection is gone."""
        for timer in self._timers:
            timer.cancel()
        self._timers.clear()

    def _finish(self) -> None:
        """Close. TLS gives a close little time, so what is left has to be sent before."""
        if self._below is self._transport:
            self._transport.close()
        elif self._unsent_bytes():
            if not self._closing:
                self._closing = True
                self._transport.pause_reading()
            self._later(_FINISH_SECONDS, self._finish)
        else:
            self._transport.close()
            # A peer that has left while nothing was read is never heard of again.
            self._later(self._patience.linger_seconds, self._transport.abort)

    def _unsent_bytes(self) -> int:
        size = self._transport.get_write_buffer_size()
        if self._below is not self._transport:
            size += self._below.get_write_buffer_size()
        return size

    def _watch(self) -> None:
        size = self._unsent_bytes()
        if size and not self._watching:
            self._watching = True
            self._later(self._patience.stall_seconds, lambda: self._check(size))

    def _check(self, size_before: int) -> None:
        self._watching = False
        if 0 < size_before <= self._unsent_bytes():
            self._transport.abort()
        else:
            self._watch()

    def _later(self, seconds: float, callback: Any) -> None:
        self._timers = [timer for timer in self._timers if timer.when() > self._loop.time()]
        self._timers.append(self._loop.call_later(seconds, callback))

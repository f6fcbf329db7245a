"""uvicorn's HTTP protocol with the limits that it lacks.

A request's head is collected whole before the parser sees it. So it can be held to a size and a
time, and `Upgrade` can be taken out: nothing here speaks another protocol, and the parser would
throw away the body of a request that offers one, as Java's client does with every first request.
"""

import asyncio
import re
import select
import ssl
import uuid
from typing import Any, Final, cast

from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import ServerState

from docparser_runtime import problems
from docparser_runtime.errors import DocParserError, HeadTimeout, HeadTooLarge, InvalidRequest
from docparser_runtime.security.headers import refusal_headers
from docparser_runtime.wire import Patience, Wire

LONGEST_HEAD_BYTES: Final = 64 * 1024
READ_BYTES: Final = 64 * 1024
"""Most that is read at once, and so the most that a body may exceed its limit unnoticed."""
_HEAD_END: Final = b"\r\n\r\n"
_UPGRADE: Final = re.compile(rb"\r\nupgrade:[^\r\n]*", re.IGNORECASE)


class GuardedProtocol(HttpToolsProtocol):
    """One connection. Subclasses say how long a body may be."""

    max_body_bytes: int
    patience = Patience()
    below: asyncio.Transport | None = None
    """The transport that carries the encrypted one, if there is one."""

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._wire: Wire
        self._tls: dict[object, object] | None
        self._head = bytearray()
        self._parsing_head = False
        self._leaving = False
        self._body_bytes = 0
        self._head_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin to wait for a head."""
        transport.max_size = READ_BYTES  # type: ignore[attr-defined]
        wire = cast("asyncio.Transport", transport)
        self._wire = Wire(wire, self.below or wire, self.loop, self.patience)
        self._tls = _tls_facts(wire)
        super().connection_made(cast("asyncio.Transport", self._wire))
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop all clocks."""
        self._head_arrived()
        self._wire.forget()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Collect heads, pass on bodies, throw away what comes after a refusal."""
        if self._wire.lingering:
            self._count(len(data))
        elif self._is_idle() and not self._parsing_head:
            self._collect(data)
        else:
            super().data_received(data)

    def on_message_begin(self) -> None:
        """Note that the parser is in a head."""
        super().on_message_begin()
        if self._tls is not None:
            self.scope["extensions"] = {"tls": self._tls}
        self._parsing_head, self._body_bytes = True, 0
        self._wire.body_is_open, self._wire.body_is_too_long = True, False
        self._await_head()

    def on_headers_complete(self) -> None:
        """Note that the head is over."""
        self._parsing_head = False
        self._head_arrived()
        super().on_headers_complete()
        if self._leaving:
            self.cycle.keep_alive = False

    def on_body(self, body: bytes) -> None:
        """Count the body; beyond the limit nothing is read unless the application asks."""
        super().on_body(body)
        self._count(len(body))

    def on_message_complete(self) -> None:
        """Note that the body is over."""
        self._wire.body_is_open = False
        super().on_message_complete()

    def shutdown(self) -> None:
        """Close when idle, unless a request is on its way."""
        self._leaving = True
        if self._is_idle() and (self.cycle is None or self._head or self._has_input()):
            self.loop.call_later(self.patience.last_call_seconds, self._close_if_idle)
        else:
            super().shutdown()

    def send_400_response(self, msg: str) -> None:
        """Answer what the parser did not understand."""
        self._refuse(InvalidRequest(msg))

    def _is_idle(self) -> bool:
        return self.cycle is None or (self.cycle.response_complete and not self.pipeline)

    def _collect(self, data: bytes) -> None:
        self._unset_keepalive_if_required()
        self._await_head()
        searched = max(len(self._head) - len(_HEAD_END), 0)
        self._head += data if self._head else data.lstrip(b"\r\n")
        end = self._head.find(_HEAD_END, searched)
        if (end if end >= 0 else len(self._head)) > LONGEST_HEAD_BYTES:
            self._refuse(HeadTooLarge(f"The head is longer than {LONGEST_HEAD_BYTES} bytes."))
        elif end >= 0:
            head, rest = bytes(self._head[:end]), bytes(self._head[end:])
            self._head.clear()
            super().data_received(_UPGRADE.sub(b"", head) + rest)

    def _await_head(self) -> None:
        if self._head_timer is None:
            self._head_timer = self.loop.call_later(self.patience.head_seconds, self._head_late)

    def _head_arrived(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _head_late(self) -> None:
        self._head_timer = None
        if self._head or self._parsing_head:
            self._refuse(HeadTimeout("The head came too slowly."))
        else:
            self._wire.close()

    def _refuse(self, error: DocParserError) -> None:
        """Answer without the application, and close."""
        response = problems.respond(error, request_id=uuid.uuid4().hex)
        head = [f"HTTP/1.1 {error.status.value} {error.status.phrase}".encode()]
        response.headers.update(refusal_headers(self.scheme or "http"))
        head += [name + b": " + value for name, value in response.raw_headers]
        head += [b"connection: close", b"", bytes(response.body)]
        self._wire.body_is_open = True  # whatever comes is thrown away
        self._wire.write(b"\r\n".join(head))
        self._wire.close()
        if not self._is_idle():
            self.cycle.disconnected = True
            self.cycle.message_event.set()

    def _count(self, size: int) -> None:
        self._body_bytes += size
        if self._body_bytes > self.max_body_bytes:
            self._wire.body_is_too_long = True
            self.flow.pause_reading()
            self._wire.pause_reading()  # while lingering, the flow control knows nothing

    def _has_input(self) -> bool:
        sock = self._wire.get_extra_info("socket")
        if sock is None:  # the connection is gone, which we are about to be told
            return False
        poll = select.poll()
        poll.register(sock.fileno(), select.POLLIN)
        return bool(poll.poll(0))

    def _close_if_idle(self) -> None:
        if self._is_idle() and not self._head and not self._wire.is_closing():
            self._wire.close()


def _tls_facts(transport: asyncio.Transport) -> dict[object, object] | None:
    """Return what the ASGI extension for TLS tells the application; None without TLS."""
    secured = transport.get_extra_info("ssl_object")
    if secured is None:
        return None
    shown = secured.getpeercert(binary_form=True)
    chain = [] if shown is None else [ssl.DER_cert_to_PEM_cert(shown)]
    return {"client_cert_chain": chain}


def bounded(max_body_bytes: int) -> type[GuardedProtocol]:
    """Return the protocol for bodies of at most `max_body_bytes`."""
    return type("BoundedProtocol", (GuardedProtocol,), {"max_body_bytes": max_body_bytes})

"""One end of the socket between the service and an engine's process.

A frame is the length of the message (4 bytes) and of the payload (8 bytes), both big-endian, then
the message as JSON and the payload.
"""

import socket
import struct
import threading
from contextlib import suppress
from typing import Final, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import TypeAdapter, ValidationError

Said = TypeVar("Said")
Heard = TypeVar("Heard")
Bytes = NDArray[np.uint8]

_PREFIX: Final = struct.Struct(">IQ")
_LONGEST_MESSAGE: Final = 64 * 1024**2
"""Bytes of a message; the text of no page comes near."""
_LONGEST_PAYLOAD: Final = 3 * 400_000_000
"""Bytes of the largest page that a configuration allows."""
_BUFFER_BYTES: Final = 4 * 1024**2
"""Asked of the kernel, so that a page takes few turns of both processes."""


class Gone(Exception):  # noqa: N818 (a state of the other side)
    """The other side has hung up, has been silent for too long, or talks nonsense."""


class Connection(Generic[Said, Heard]):
    """Says and hears messages. Any thread may say; one thread hears.

    Args:
        sock: connected to the other side.
        said: writes what this side says.
        heard: reads what the other side says.
    """

    def __init__(
        self, sock: socket.socket, said: TypeAdapter[Said], heard: TypeAdapter[Heard]
    ) -> None:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _BUFFER_BYTES)
        self._sock = sock
        self._said = said
        self._heard = heard
        self._lock = threading.Lock()

    def give_up_after(self, seconds: float | None) -> None:
        """Wait no longer than this for a sign of the other side; None waits for ever."""
        self._sock.settimeout(seconds)

    def say(self, message: Said, payload: memoryview | None = None) -> None:
        """Send a message, and a payload if there is one.

        Raises:
            Gone: the other side does not take it.
        """
        head = self._said.dump_json(message)
        size = 0 if payload is None else payload.nbytes
        try:
            with self._lock:
                self._sock.sendall(_PREFIX.pack(len(head), size) + head)
                if payload is not None:
                    self._sock.sendall(payload)
        except TimeoutError:
            # Half a frame may be under way, so nothing that is said now would be understood.
            self.hang_up()
            raise Gone("it takes no messages") from None
        except OSError:
            raise Gone("it has hung up") from None

    def hear(self) -> tuple[Heard, Bytes]:
        """Return the next message and its payload.

        Raises:
            Gone: none comes any more.
        """
        prefix = self._exactly(_PREFIX.size)
        head_size, payload_size = _PREFIX.unpack(prefix.data)
        if head_size > _LONGEST_MESSAGE or payload_size > _LONGEST_PAYLOAD:
            raise Gone("it sends messages that are too long")
        head, payload = self._exactly(head_size), self._exactly(payload_size)
        try:
            return self._heard.validate_json(head.tobytes()), payload
        except ValidationError:
            raise Gone("it sends messages of unknown form") from None

    def hang_up(self) -> None:
        """Let both sides hear no more; a thread that waits for a message hears of it too."""
        with suppress(OSError):  # the other side was faster
            self._sock.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Hang up and free the socket. To be called by the thread that hears."""
        self.hang_up()
        with self._lock:
            self._sock.close()

    def _exactly(self, size: int) -> Bytes:
        content = np.empty(size, np.uint8)
        view, filled = content.data.cast("B") if size else memoryview(b""), 0
        try:
            while filled < size:
                count = self._sock.recv_into(view[filled:])
                if count == 0:
                    raise Gone("it has hung up")
                filled += count
        except TimeoutError:
            raise Gone("it is silent") from None
        except OSError:
            raise Gone("it has hung up") from None
        return content

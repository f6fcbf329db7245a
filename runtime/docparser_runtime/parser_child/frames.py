"""The frames that the service and the process exchange: a small JSON head and a payload of bytes.

Layout: length of the head (4 bytes), length of the payload (8 bytes), both
big-endian, then head and payload. Whoever reads must bound both lengths.
"""

import json
import socket
import struct
from collections.abc import Mapping
from typing import Any

PREFIX = struct.Struct(">IQ")
LONGEST_HEAD = 4096
"""Bytes of a head; a password is the longest thing in it."""


def head_and_prefix(head: Mapping[str, Any], payload_length: int) -> bytes:
    """Return everything of a frame that comes before the payload."""
    encoded = json.dumps(head).encode()
    return PREFIX.pack(len(encoded), payload_length) + encoded


def send(connection: socket.socket, head: Mapping[str, Any], payload: memoryview | None) -> None:
    """Write one frame to a blocking socket."""
    connection.sendall(head_and_prefix(head, 0 if payload is None else payload.nbytes))
    if payload is not None:
        connection.sendall(payload)


def receive(connection: socket.socket) -> tuple[dict[str, Any], bytes] | None:
    """Return the next frame of a blocking socket, or None at its end."""
    prefix = _exactly(connection, PREFIX.size)
    if not prefix:
        return None
    head_length, payload_length = PREFIX.unpack(prefix)
    head = json.loads(_exactly(connection, head_length))
    return head, bytes(_exactly(connection, payload_length))


def _exactly(connection: socket.socket, length: int) -> bytearray:
    """Return `length` bytes; fewer mean that the other side is gone."""
    buffer = bytearray(length)
    view = memoryview(buffer)
    filled = 0
    while filled < length:
        count = connection.recv_into(view[filled:])
        if count == 0:
            return bytearray()
        filled += count
    return buffer

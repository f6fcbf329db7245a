"""The frames that the service and the process exchange: a small JSON head and a payload of bytes.

Layout: length of the head (4 bytes), length of the payload (8 bytes), both
big-endian, then head and payload. The service bounds both lengths before it
reads; the process trusts the service.
"""

import json
import socket
import struct
from collections.abc import Mapping
from typing import Any, BinaryIO

PREFIX = struct.Struct(">IQ")
LONGEST_REPLY_HEAD = 1024
"""Bytes of the head of a reply; none comes near."""


def head_and_prefix(head: Mapping[str, Any], payload_length: int) -> bytes:
    """Return everything of a frame that comes before the payload."""
    encoded = json.dumps(head).encode()
    return PREFIX.pack(len(encoded), payload_length) + encoded


def send(connection: socket.socket, head: Mapping[str, Any], payload: memoryview | None) -> None:
    """Write one frame to a blocking socket."""
    connection.sendall(head_and_prefix(head, 0 if payload is None else payload.nbytes))
    if payload is not None:
        connection.sendall(payload)


def receive(stream: BinaryIO) -> tuple[dict[str, Any], bytes] | None:
    """Return the next frame of a blocking stream, or None when the other side is gone."""
    prefix = stream.read(PREFIX.size)
    if len(prefix) < PREFIX.size:
        return None
    head_length, payload_length = PREFIX.unpack(prefix)
    head, payload = stream.read(head_length), stream.read(payload_length)
    if len(payload) < payload_length:
        return None
    return json.loads(head), payload

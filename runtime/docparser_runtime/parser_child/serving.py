"""What a parser does from its first to its last moment: it serves one document and ends."""

import os
import socket
from typing import NoReturn

from docparser_runtime.parser_child import frames
from docparser_runtime.parser_child.confinement import allow_cpu, confine
from docparser_runtime.parser_child.failures import OUT_OF_MEMORY_EXIT, Refused
from docparser_runtime.parser_child.limits import Limits
from docparser_runtime.parser_child.open_document import OpenDocument


def serve(connection: socket.socket, limits: Limits) -> NoReturn:
    """Confine this process, say so, answer requests until the socket closes, and exit."""
    refused = confine(limits)
    frames.send(connection, {"kind": "ready", "refused": refused}, None)
    try:
        _answer_requests(connection, limits)
    except MemoryError:
        os._exit(OUT_OF_MEMORY_EXIT)
    # Libraries have nothing to clean up that the kernel does not.
    os._exit(0)


def _answer_requests(connection: socket.socket, limits: Limits) -> None:
    stream = connection.makefile("rb")
    document: OpenDocument | None = None
    while (frame := frames.receive(stream)) is not None:
        head, payload = frame
        allow_cpu(limits.page_cpu_seconds)
        try:
            if document is None:
                document = OpenDocument(head, payload, limits)
                frames.send(connection, document.description(), None)
            else:
                frames.send(connection, *document.answer(head, payload))
        except Refused as refused:
            frames.send(connection, {"kind": "failed", "failure": refused.failure}, None)

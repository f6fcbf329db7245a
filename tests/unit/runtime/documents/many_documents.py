"""A confined process that opens one document after the other, for tests that have many."""

import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from docparser_runtime.documents.media_types import media_type_of
from docparser_runtime.parser_child import frames
from docparser_runtime.parser_child.limits import Limits
from numpy.typing import NDArray

PROGRAM = Path(__file__).with_name("confined_program.py")

Pixels = NDArray[np.uint8]


@dataclass(frozen=True)
class Outcome:
    """What became of a document: `fine`, `repaired` or the name of a failure, and its pages."""

    name: str
    pages: tuple[Pixels, ...] = ()


class ManyDocuments:
    """The other side of that process."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._stream = connection.makefile("rb")

    def close(self) -> None:
        """Let the process end."""
        self._stream.close()
        self._connection.shutdown(socket.SHUT_RDWR)

    def open(self, content: bytes, password: str | None = None) -> Outcome:
        """Have a document opened and drawn."""
        head = {"media_type": media_type_of(content), "password": password}
        frames.send(self._connection, head, memoryview(content))
        frame = frames.receive(self._stream)
        assert frame is not None, "the process died"
        answer, payload = frame
        pages, start = [], 0
        for height, width in answer["sizes"]:
            end = start + 3 * height * width
            pages.append(np.frombuffer(payload[start:end], np.uint8).reshape(height, width, 3))
            start = end
        return Outcome(answer["name"], tuple(pages))


@contextmanager
def many_documents(limits: Limits) -> Iterator[ManyDocuments]:
    ours, theirs = socket.socketpair()
    command = [sys.executable, "-I", str(PROGRAM), limits.dumps()]
    with ours, subprocess.Popen(command, stdin=theirs.fileno(), env={}) as process:
        theirs.close()
        documents = ManyDocuments(ours)
        yield documents
        documents.close()
        # How it ends does not matter: parsers are killed. That it lives, each document shows.
        process.wait(10)

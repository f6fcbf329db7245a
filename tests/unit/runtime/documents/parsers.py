"""Readers whose processes tests look at, and processes that lie."""

import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from docparser_api.runtime import RuntimeConfig
from docparser_runtime.documents.reader import SubprocessReader


def children(process_id: int | str = "self") -> set[int]:
    """Return the ids of a process's children, zombies included."""
    lists = Path(f"/proc/{process_id}/task").glob("*/children")
    return {int(child) for each in lists for child in each.read_text().split()}


def zygote_of(reader: SubprocessReader) -> int:
    """Return the id of the process that makes the parsers of `reader`."""
    zygote = reader._pool._zygote
    assert zygote is not None
    return zygote._process.pid


def parsers_of(reader: SubprocessReader) -> set[int]:
    """Return the ids of the parsers of `reader`, zombies included."""
    return children(zygote_of(reader))


def own_files() -> set[tuple[str, str]]:
    """Return this process's open descriptors and what each is open on."""
    found = set()
    for descriptor in list(Path("/proc/self/fd").iterdir()):
        # The descriptor of the listing itself is gone by now.
        with suppress(FileNotFoundError):
            found.add((descriptor.name, os.readlink(descriptor)))  # noqa: PTH115 - no path, a name
    return found


def open_files(process_id: int | str = "self") -> int:
    return len(os.listdir(f"/proc/{process_id}/fd"))  # noqa: PTH208 - its own counts each time


@asynccontextmanager
async def reading(config: RuntimeConfig, *command: str) -> AsyncIterator[SubprocessReader]:
    reader = SubprocessReader(config, command) if command else SubprocessReader(config)
    try:
        yield reader
    finally:
        await reader.close()


def impostor(*lines: str, before: str = "pass") -> tuple[str, ...]:
    """Return the command of a zygote whose parsers greet, read a request, then run `lines`."""
    program = (
        "import json, os, socket, struct, sys, threading, time",
        "from docparser_runtime.parser_child.zygote import Zygote",
        "def serve(s, limits):",
        "    def send(head, payload=b'', length=None, raw=None):",
        "        h = raw if raw is not None else json.dumps(head).encode()",
        "        n = len(payload) if length is None else length",
        "        s.sendall(struct.pack('>IQ', len(h), n) + h + payload)",
        "    send({'kind': 'ready', 'refused': []})",
        "    s.recv(12)",
        *(f"    {line}" for line in lines),
        "    time.sleep(60)",
        "control = socket.socket(fileno=os.dup(0))",
        "os.close(0)",
        "os.open(os.devnull, os.O_RDWR)",
        before,
        "Zygote(control, serve).run()",
    )
    return sys.executable, "-I", "-c", "\n".join(program)

"""Serves one document on the socket that is its standard input, and ends with the socket."""

import os
import socket
import sys
from typing import Any

from docparser_runtime.parser_child import frames
from docparser_runtime.parser_child.confinement import allow_cpu, confine
from docparser_runtime.parser_child.failures import OUT_OF_MEMORY_EXIT, Refused
from docparser_runtime.parser_child.images import ImagePages
from docparser_runtime.parser_child.limits import Limits
from docparser_runtime.parser_child.pages import Pages
from docparser_runtime.parser_child.pdf import PdfPages
from docparser_runtime.parser_child.warmup import warm_up


def main() -> None:
    """Confine this process, say so, and answer requests until the socket closes."""
    limits = Limits.loads(sys.argv[1])
    connection = socket.socket(fileno=os.dup(0))
    warm_up()
    # Whatever a library prints from here on could quote the document.
    silence = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(silence, stream)
    refused = confine(limits)
    frames.send(connection, {"kind": "ready", "refused": refused}, None)
    try:
        _serve(connection, limits)
    except MemoryError:
        os._exit(OUT_OF_MEMORY_EXIT)
    # Libraries have nothing to clean up that the kernel does not.
    os._exit(0)


def _serve(connection: socket.socket, limits: Limits) -> None:
    stream = connection.makefile("rb")
    pages: Pages | None = None
    while (frame := frames.receive(stream)) is not None:
        head, content = frame
        allow_cpu(limits.page_cpu_seconds)
        try:
            if pages is None:
                pages = opened(head, content, limits)
                frames.send(connection, _description(pages), None)
            else:
                picture = pages.picture(head["index"])
                size = {"kind": "drawn", "width": picture.width, "height": picture.height}
                frames.send(connection, {**size, "dpi": picture.dpi}, picture.rgb)
        except Refused as refused:
            frames.send(connection, {"kind": "failed", "failure": refused.failure}, None)


def opened(head: dict[str, Any], content: bytes, limits: Limits) -> Pages:
    """Return the document that a request holds."""
    if head["media_type"] == "application/pdf":
        return PdfPages(content, head["password"], limits)
    return ImagePages(content, head["media_type"], limits)


def _description(pages: Pages) -> dict[str, Any]:
    return {"kind": "opened", "page_count": pages.count, "repaired": pages.repaired}


if __name__ == "__main__":
    main()

"""What a parser does from its first to its last moment: it serves one document and ends."""

import os
import socket
from typing import Any, NoReturn

from docparser_runtime.parser_child import frames
from docparser_runtime.parser_child.confinement import allow_cpu, confine
from docparser_runtime.parser_child.failures import OUT_OF_MEMORY_EXIT, Refused
from docparser_runtime.parser_child.images import ImagePages
from docparser_runtime.parser_child.limits import Limits
from docparser_runtime.parser_child.pages import Pages
from docparser_runtime.parser_child.pdf import PdfPages


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


def opened(head: dict[str, Any], content: bytes, limits: Limits) -> Pages:
    """Return the document that a request holds."""
    if head["media_type"] == "application/pdf":
        return PdfPages(content, head["password"], limits)
    return ImagePages(content, head["media_type"], limits)


def _answer_requests(connection: socket.socket, limits: Limits) -> None:
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


def _description(pages: Pages) -> dict[str, Any]:
    return {"kind": "opened", "page_count": pages.count, "repaired": pages.repaired}

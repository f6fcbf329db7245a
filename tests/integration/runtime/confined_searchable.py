"""Makes a searchable PDF of what comes in, without any power to do else, as a parser would."""

import os
import socket
import sys

from docparser_runtime.outputs import searchable_warmup
from docparser_runtime.outputs.page_text import PageText
from docparser_runtime.outputs.searchable_pdf import SearchablePdf
from docparser_runtime.parser_child import frames
from docparser_runtime.parser_child.confinement import confine
from docparser_runtime.parser_child.failures import Refused
from docparser_runtime.parser_child.images import ImagePages
from docparser_runtime.parser_child.limits import Limits
from docparser_runtime.parser_child.pages import Pages
from docparser_runtime.parser_child.pdf import PdfPages


def serve(connection: socket.socket, limits: Limits) -> None:
    stream = connection.makefile("rb")
    searchable: SearchablePdf | None = None
    while (frame := frames.receive(stream)) is not None:
        head, payload = frame
        try:
            if head["kind"] == "open":
                searchable = opened(payload, head["media_type"], limits)
            elif searchable is not None and head["kind"] == "add":
                searchable.add(head["index"], PageText.loads(payload))
            elif searchable is not None:
                frames.send(connection, {"name": "made"}, memoryview(searchable.content()))
        except Refused as refused:
            frames.send(connection, {"name": refused.failure.value}, None)


def opened(content: bytes, media_type: str, limits: Limits) -> SearchablePdf:
    return SearchablePdf(content, media_type, None, pages_of(content, media_type, limits))


def pages_of(content: bytes, media_type: str, limits: Limits) -> Pages:
    if media_type == "application/pdf":
        return PdfPages(content, None, limits)
    return ImagePages(content, media_type, limits)


if __name__ == "__main__":
    given = Limits.loads(sys.argv[1])
    server = socket.socket(fileno=0)
    searchable_warmup.warm_up()
    assert confine(given) == [], "the kernel refuses"
    serve(server, given)
    os._exit(0)

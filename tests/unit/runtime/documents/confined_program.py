"""The program behind `many_documents`: it draws every page of everything that it is sent."""

import os
import socket
import sys

from docparser_runtime.parser_child import frames
from docparser_runtime.parser_child.confinement import allow_cpu, confine
from docparser_runtime.parser_child.failures import Refused
from docparser_runtime.parser_child.limits import Limits
from docparser_runtime.parser_child.open_document import opened
from docparser_runtime.parser_child.warmup import warm_up


def serve(connection: socket.socket, limits: Limits) -> None:
    stream = connection.makefile("rb")
    while (frame := frames.receive(stream)) is not None:
        allow_cpu(limits.page_cpu_seconds)
        sizes, payload = [], bytearray()
        try:
            pages = opened(*frame, limits)
            name = "repaired" if pages.repaired else "fine"
            for index in range(pages.count):
                picture = pages.picture(index)
                sizes.append((picture.height, picture.width))
                payload += picture.rgb
        except Refused as refused:
            name = refused.failure.value
        frames.send(connection, {"name": name, "sizes": sizes}, memoryview(payload))


if __name__ == "__main__":
    given = Limits.loads(sys.argv[1])
    server = socket.socket(fileno=0)
    warm_up()
    assert confine(given) == [], "the kernel refuses"
    serve(server, given)
    os._exit(0)

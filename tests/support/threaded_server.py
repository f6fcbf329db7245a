"""An HTTP server in threads of this process, for the time of a context."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def handle_error(self, *_: Any) -> None:
        """Say nothing: clients are killed here."""


@contextmanager
def serving(address: str, port: int, handler: type[BaseHTTPRequestHandler]) -> Iterator[int]:
    """Serve on this address; yield the port, which is a free one where `port` is 0."""
    with _Server((address, port), handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield int(server.server_address[1])
        finally:
            server.shutdown()
            thread.join()

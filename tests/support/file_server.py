"""A web server for files: with ranges, with signatures of S3 where keys are set, with faults."""

import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from support.s3_signature import Keys, is_signed
from support.threaded_server import serving

CHUNK = 64 * 1024


@dataclass(frozen=True)
class Request:
    """What a client asked for; `end` is the byte after the last, None for all."""

    path: str
    start: int
    end: int | None
    authorization: str | None


@dataclass(frozen=True)
class Fault:
    """What goes wrong with an answer.

    Attributes:
        status: answered instead of the file.
        location: of a redirect.
        breaks_after: bytes after which the connection is cut.
        content: served instead of the file's.
        whole: whether the range is ignored.
        held: waited for before the answer.
    """

    status: int | None = None
    location: str | None = None
    breaks_after: int | None = None
    content: bytes | None = None
    whole: bool = False
    held: threading.Event | None = None


@dataclass
class FileServer:
    """Serves the files below `root`.

    Attributes:
        token: bearer token that requests must have.
        keys: S3 keys with which they must be signed.
        fault: decides what goes wrong.
        requests: all that came.
        sent: bytes of content that were sent, for each path.
        holding: how many answers are being held now.
        address: where it listens.
        port: the same; 0 for any, then the one that was found.
    """

    root: Path
    token: str | None = None
    keys: Keys | None = None
    fault: Callable[[Request], Fault | None] = lambda _: None
    requests: list[Request] = field(default_factory=list)
    sent: dict[str, int] = field(default_factory=dict)
    holding: int = 0
    address: str = "127.0.0.1"
    port: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def total_sent(self) -> int:
        with self.lock:
            return sum(self.sent.values())

    def asked(self, name: str) -> list[Request]:
        """Return the requests for files of this name."""
        with self.lock:
            return [request for request in self.requests if request.path.endswith(f"/{name}")]

    @contextmanager
    def running(self) -> Iterator["FileServer"]:
        owner = self

        class Handler(_Handler):
            files = owner

        with serving(self.address, self.port, Handler) as self.port:
            yield self


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1
    files: FileServer

    def log_message(self, *_: Any) -> None:
        """Log nothing."""

    def do_GET(self) -> None:
        request = self._request()
        with self.files.lock:
            self.files.requests.append(request)
        fault = self.files.fault(request) or Fault()
        if fault.held is not None:
            self._hold(fault.held)
        with suppress(ConnectionError):
            self._answer(request, fault)
            self.wfile.flush()

    def _request(self) -> Request:
        found = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
        start, end = (int(found[1]), int(found[2]) + 1) if found else (0, None)
        return Request(unquote(self.path), start, end, self.headers.get("Authorization"))

    def _hold(self, event: threading.Event) -> None:
        with self.files.lock:
            self.files.holding += 1
        event.wait(30)
        with self.files.lock:
            self.files.holding -= 1

    def _answer(self, request: Request, fault: Fault) -> None:
        files = self.files
        path = files.root / request.path.lstrip("/")
        if fault.status is not None:
            self._refuse(fault.status, fault.location)
        elif files.token and request.authorization != f"Bearer {files.token}":
            self._refuse(401)
        elif files.keys and not is_signed(self.path, self.headers, files.keys):
            self._refuse(403)
        elif not path.is_file() and fault.content is None:
            self._refuse(404)
        else:
            self._serve(request, path, fault)

    def _serve(self, request: Request, path: Path, fault: Fault) -> None:
        size = path.stat().st_size if fault.content is None else len(fault.content)
        ranged = request.end is not None and not fault.whole
        if ranged and request.start >= size:
            self._refuse(416)
            return
        start = request.start if ranged else 0
        end = min(request.end or size, size) if ranged else size
        self.send_response(206 if ranged else 200)
        self.send_header("Content-Length", str(end - start))
        if ranged:
            self.send_header("Content-Range", f"bytes {start}-{end - 1}/{size}")
        self.send_header("ETag", f'"{size}"')
        self.send_header("Last-Modified", formatdate(0, usegmt=True))
        self.end_headers()
        most = end - start if fault.breaks_after is None else fault.breaks_after
        for chunk in _chunks(path, fault.content, start, min(end, start + most)):
            with self.files.lock:
                self.files.sent[request.path] = self.files.sent.get(request.path, 0) + len(chunk)
            self.wfile.write(chunk)
        self.close_connection = most < end - start

    def _refuse(self, status: int, location: str | None = None) -> None:
        self.send_response(status)
        self.send_header("Content-Length", "0")
        if location is not None:
            self.send_header("Location", location)
        self.end_headers()


def _chunks(path: Path, content: bytes | None, start: int, end: int) -> Iterator[bytes]:
    if content is not None:
        yield content[start:end]
        return
    with path.open("rb") as file:
        file.seek(start)
        while start < end and (chunk := file.read(min(CHUNK, end - start))):
            start += len(chunk)
            yield chunk

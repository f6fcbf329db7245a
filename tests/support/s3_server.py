"""A bucket of an S3 server in memory, which checks signatures and can fail."""

import hashlib
import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qs, unquote
from xml.etree import ElementTree as ET
from xml.sax.saxutils import escape

from support.s3_signature import Keys, is_presigned, is_signed
from support.threaded_server import serving

MOST_LISTED = 1000
DATE = "2026-01-01T00:00:00.000Z"


def _set() -> threading.Event:
    event = threading.Event()
    event.set()
    return event


@dataclass(frozen=True)
class Call:
    """A request: its method, the name of the object, and its query."""

    method: str
    name: str
    query: dict[str, str]
    body: bytes = field(repr=False)


@dataclass
class S3Server:
    """Serves one bucket.

    Attributes:
        keys: with which requests must be signed.
        objects: content by name.
        uploads: parts of unfinished uploads, by id.
        fault: returns the status and the text that a request is refused with.
        calls: all that came with a right signature.
        silent: while it is not set, nothing is answered.
        address: where it listens.
    """

    bucket: str = "store"
    keys: Keys = field(default_factory=lambda: Keys("key-id", "canary-secret-key", None))
    objects: dict[str, bytes] = field(default_factory=dict)
    uploads: dict[str, dict[int, bytes]] = field(default_factory=dict)
    fault: Callable[[Call], tuple[int, str] | None] = lambda _: None
    calls: list[Call] = field(default_factory=list)
    silent: threading.Event = field(default_factory=_set)
    address: str = "127.0.0.1"
    port: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @contextmanager
    def running(self) -> Iterator["S3Server"]:
        owner = self

        class Handler(_Handler):
            server_of = owner

        with serving(self.address, self.port, Handler) as self.port:
            yield self

    def answer(self, call: Call) -> tuple[int, bytes]:
        """Return status and body of the answer."""
        with self.lock:
            self.calls.append(call)
            fault = self.fault(call)
            if fault is not None:
                return fault[0], fault[1].encode()
            if "uploads" in call.query or "uploadId" in call.query:
                return self._part(call)
            if call.method == "PUT":
                self.objects[call.name] = call.body
                return 200, b""
            if call.method == "POST":
                return self._deleted(call.body)
            return self._read(call)

    def _read(self, call: Call) -> tuple[int, bytes]:
        if not call.name:
            return 200, self._listed(call.query)
        if call.name not in self.objects:
            return 404, b"<Error><Code>NoSuchKey</Code></Error>"
        return 200, self.objects[call.name]

    def _part(self, call: Call) -> tuple[int, bytes]:
        upload = call.query.get("uploadId", "")
        if "uploads" in call.query:
            upload = uuid.uuid4().hex
            self.uploads[upload] = {}
            return 200, _xml("InitiateMultipartUploadResult", f"<UploadId>{upload}</UploadId>")
        if call.method == "PUT":
            self.uploads[upload][int(call.query["partNumber"])] = call.body
            return 200, b""
        parts = self.uploads.pop(upload)
        if call.method == "DELETE":
            return 204, b""
        self.objects[call.name] = b"".join(parts[number] for number in sorted(parts))
        return 200, _xml("CompleteMultipartUploadResult", "<ETag>whole</ETag>")

    def _deleted(self, body: bytes) -> tuple[int, bytes]:
        names = [one.text or "" for one in ET.fromstring(body).iter() if one.tag.endswith("Key")]  # noqa: S314 (our own client's)
        for name in names:
            self.objects.pop(name, None)
        listed = "".join(f"<Deleted><Key>{escape(name)}</Key></Deleted>" for name in names)
        return 200, _xml("DeleteResult", listed)

    def _listed(self, query: dict[str, str]) -> bytes:
        prefix, delimiter = query.get("prefix", ""), query.get("delimiter", "")
        after = query.get("continuation-token", "")
        found: dict[str, str] = {}
        for name in sorted(self.objects):
            head, split, _ = name.removeprefix(prefix).partition(delimiter or "\0")
            if name.startswith(prefix) and split:
                group = f"{prefix}{head}{split}"
                found[group] = f"<CommonPrefixes><Prefix>{group}</Prefix></CommonPrefixes>"
            elif name.startswith(prefix):
                found[name] = _entry(name, self.objects[name])
        names = [name for name in found if name > after]
        page = names[:MOST_LISTED]
        more = "<IsTruncated>false</IsTruncated>"
        if len(names) > len(page):
            more = "<IsTruncated>true</IsTruncated>"
            more += f"<NextContinuationToken>{page[-1]}</NextContinuationToken>"
        return _xml("ListBucketResult", more + "".join(found[name] for name in page))


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1
    server_of: S3Server

    def log_message(self, *_: Any) -> None:
        """Log nothing."""

    def _serve(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        server = self.server_of
        server.silent.wait(30)
        path, _, query = self.path.partition("?")
        name = unquote(path).removeprefix(f"/{server.bucket}").lstrip("/")
        values = {key: one[0] for key, one in parse_qs(query, keep_blank_values=True).items()}
        status, content = 403, b"<Error><Code>AccessDenied</Code></Error>"
        if not path.startswith(f"/{server.bucket}"):
            status, content = 404, b"<Error><Code>NoSuchBucket</Code></Error>"
        elif self._is_allowed(body):
            status, content = server.answer(Call(self.command, name, values, body))
        with suppress(ConnectionError):
            self._send(status, content)

    def _is_allowed(self, body: bytes) -> bool:
        if "X-Amz-Signature" in self.path:
            return is_presigned(self.path, self.headers, self.server_of.keys)
        hashed = self.headers.get("x-amz-content-sha256", "")
        if hashed != hashlib.sha256(body).hexdigest():
            return False
        return is_signed(self.path, self.headers, self.server_of.keys, self.command)

    def _send(self, status: int, content: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("ETag", f'"{hashlib.sha256(content).hexdigest()[:32]}"')
        self.send_header("Last-Modified", formatdate(0, usegmt=True))
        self.end_headers()
        self.wfile.write(content)
        self.wfile.flush()

    do_GET = do_PUT = do_POST = do_DELETE = _serve  # noqa: N815 (so the base class wants it)


def _entry(name: str, content: bytes) -> str:
    return (
        f"<Contents><Key>{escape(name)}</Key><Size>{len(content)}</Size>"
        f"<LastModified>{DATE}</LastModified><ETag>any</ETag></Contents>"
    )


def _xml(root: str, content: str) -> bytes:
    return f"<{root}>{content}</{root}>".encode()

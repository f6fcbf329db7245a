"""The outermost layer: request ids, the one place that answers errors, access log and counts."""

import re
import time
import uuid
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

from docparser_api.names import PATH_LIVE, PATH_METRICS, PATH_QUEUE, PATH_READY, PATH_STARTUP
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from docparser_runtime import logs, problems
from docparser_runtime.body import ClientGone
from docparser_runtime.compat import errors as chat_errors
from docparser_runtime.errors import DocParserError
from docparser_runtime.metrics import Metrics
from docparser_runtime.tracing import spans
from docparser_runtime.tracing.spans import Tracing, Value

REQUEST_ID: Final = "X-Request-ID"
CLUSTER_PATHS: Final = frozenset({PATH_LIVE, PATH_METRICS, PATH_QUEUE, PATH_READY, PATH_STARTUP})
"""Paths that the cluster itself calls, again and again: open to all, not counted, hardly logged."""
_VALID_ID: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")
_UNMATCHED: Final = "unmatched"
_CLIENT_GONE_STATUS: Final = 499


@dataclass(frozen=True)
class Surroundings:
    """What the boundary needs to know and to tell.

    Attributes:
        is_draining: whether connections are to be closed after their answer.
        is_sampled: whether to log this success.
    """

    metrics: Metrics
    log: logs.Log
    is_draining: Callable[[], bool]
    is_sampled: Callable[[], bool]
    tracing: Tracing
    clock: Callable[[], float] = time.monotonic


class Boundary:
    """ASGI middleware that lets no exception out."""

    def __init__(self, app: ASGIApp, surroundings: Surroundings) -> None:
        self._app = app
        self._around = surroundings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began = self._around.clock()
        exchange = _Exchange(scope, receive, send, self._around.is_draining)
        with logs.of_request(exchange.request_id), self._traced(scope, exchange):
            try:
                await self._answer(scope, exchange)
            finally:
                self._record(exchange, self._around.clock() - began)

    def _traced(self, scope: Scope, exchange: "_Exchange") -> AbstractContextManager[None]:
        if exchange.path in CLUSTER_PATHS:
            return nullcontext()
        return self._around.tracing.of_request(Headers(scope=scope).get("traceparent"))

    async def _answer(self, scope: Scope, exchange: "_Exchange") -> None:
        try:
            await self._app(scope, exchange.receive, exchange.send)
        except ClientGone:
            exchange.status, exchange.code = _CLIENT_GONE_STATUS, "client_gone"
        except DocParserError as error:
            await exchange.answer(error)
        except Exception:
            self._around.log.exception("failed")
            await exchange.answer(problems.unexpected())

    def _record(self, exchange: "_Exchange", seconds: float) -> None:
        values = exchange.facts() | {"seconds": round(seconds, 6)}
        if exchange.path in CLUSTER_PATHS:
            self._around.log.debug("request", **values)
            return
        _trace(exchange)
        route, status = exchange.route, str(exchange.status)
        self._around.metrics.requests.labels(route, status, exchange.code).inc()
        self._around.metrics.request_seconds.labels(route).observe(seconds)
        if exchange.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            self._around.log.warning("request", **values)
        elif exchange.code != "ok" or self._around.is_sampled():
            self._around.log.info("request", **values)


def _trace(exchange: "_Exchange") -> None:
    facts: dict[str, Value] = {
        "http.request.method": exchange.method,
        "http.route": exchange.route,
        "http.response.status_code": exchange.status,
        "docparser.code": exchange.code,
    }
    spans.note(facts)
    if exchange.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        spans.fail(exchange.code)


class _Exchange:
    """A request on its way in and its answer on its way out."""

    def __init__(
        self, scope: Scope, receive: Receive, send: Send, is_draining: Callable[[], bool]
    ) -> None:
        headers = Headers(scope=scope)
        self.request_id = _request_id(headers.get(REQUEST_ID, ""))
        self.status = _CLIENT_GONE_STATUS
        self.code = "client_gone"
        self._scope = scope
        self._state = scope.setdefault("state", {})
        self._state["request_id"] = self.request_id
        self._receive = receive
        self._send = send
        self._is_draining = is_draining
        self._started = False
        self._body_left = _has_body(headers)

    @property
    def path(self) -> str:
        """Path that the client asked for."""
        return str(self._scope["path"])

    @property
    def method(self) -> str:
        """Method of the request."""
        return str(self._scope["method"])

    @property
    def route(self) -> str:
        """Template of the path, so that clients cannot invent values."""
        return str(getattr(self._scope.get("route"), "path", _UNMATCHED))

    def facts(self) -> dict[str, object]:
        """Return what the access log tells."""
        return {
            "method": self.method,
            "route": self.route,
            "status": self.status,
            "code": self.code,
            "pages": self._state.get("pages", 0),
        }

    async def receive(self) -> Message:
        """Receive, and remember whether the body has ended."""
        message = await self._receive()
        self._body_left = message.get("more_body", False)
        return message

    async def send(self, message: Message) -> None:
        """Send, with our headers."""
        if message["type"] == "http.response.start":
            self._started = True
            self.status = message["status"]
            self.code = self.code if self.code != "client_gone" else "ok"
            headers = MutableHeaders(scope=message)
            headers[REQUEST_ID] = self.request_id
            # An unread body would be taken for the next request, or be read without end.
            if self._body_left or self._is_draining():
                headers["Connection"] = "close"
        await self._send(message)

    async def answer(self, error: DocParserError) -> None:
        """Tell the client about `error`, unless its answer is on the way already."""
        if not self._started:
            self.code = error.code
            respond = chat_errors.respond if self.path in chat_errors.PATHS else problems.respond
            await respond(error, self.request_id)(self._scope, self.receive, self.send)


def _request_id(wanted: str) -> str:
    return wanted if _VALID_ID.fullmatch(wanted) else uuid.uuid4().hex


def _has_body(headers: Headers) -> bool:
    return "transfer-encoding" in headers or headers.get("content-length", "0") != "0"

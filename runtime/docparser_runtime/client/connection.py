"""What both clients need to know of the service, and of httpx."""

import ssl
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import httpx

from docparser_runtime.client.answers import Answer
from docparser_runtime.client.calls import Call
from docparser_runtime.client.errors import (
    ClientError,
    InvalidAnswerError,
    TimedOutError,
    UnreachableError,
)
from docparser_runtime.client.retrying import Chance, Patience, Retrying
from docparser_runtime.schemas import Options
from docparser_runtime.task_schemas import TaskOptions

Document = bytes | Path
"""A document itself, or the file that holds it."""
PLAIN: Final = Options()
NORMAL: Final = TaskOptions()
_MARGIN_SECONDS: Final = 15.0
"""Time for the answer to come, after the service has waited on purpose."""
_SILENCE_SECONDS: Final = 60.0
"""A stream that tells nothing for so long is broken: the service shows life every 15 s."""
STREAMED: Final = "text/event-stream"


@dataclass(frozen=True)
class Settings:
    """What seldom needs to be other than it is.

    Attributes:
        retrying: how patient to be.
        verify: whether and by what the service's certificate is checked; an `ssl.SSLContext`
            knows own authorities and client certificates.
        connections: most connections at the same time.
        chance: time and luck.
    """

    retrying: Retrying = field(default_factory=Retrying)
    verify: ssl.SSLContext | bool = True
    connections: int = 20
    chance: Chance = field(default_factory=Chance)

    def patience(self) -> Patience:
        """Return the patience for one answer."""
        return Patience(self.retrying, self.chance)


DEFAULTS: Final = Settings()


def options(url: str, token: str | None, timeout: float, settings: Settings) -> dict[str, Any]:
    """Return how an httpx client is made.

    Raises:
        ValueError: `url` is no address of a service.
    """
    return {
        "base_url": _base(url),
        "headers": {"Authorization": f"Bearer {token}"} if token else {},
        "timeout": timeout,
        "verify": settings.verify,
        "limits": httpx.Limits(max_connections=settings.connections),
        # A token for this service is never sent to another place.
        "follow_redirects": False,
    }


def request(http: httpx.Client | httpx.AsyncClient, call: Call, timeout: float) -> httpx.Request:
    """Return `call` as a request of `http`."""
    return http.build_request(
        call.method,
        call.path,
        params=call.params or None,
        headers=dict(call.headers),
        data=dict(call.fields) or None,
        files=call.files,
        timeout=_timeout(call, timeout),
    )


def failure(error: httpx.HTTPError) -> ClientError:
    """Return what a failure of httpx means; its own words may hold too much."""
    match error:
        case httpx.ConnectTimeout() | httpx.PoolTimeout():
            return UnreachableError("The service cannot be reached in time.")
        case httpx.TimeoutException():
            return TimedOutError("The service did not answer in time.")
        case httpx.ConnectError():
            return UnreachableError("The service cannot be reached.")
        case httpx.UnsupportedProtocol() | httpx.LocalProtocolError() | httpx.DecodingError():
            return InvalidAnswerError("What answers there is no DocParser service.")
    return UnreachableError("The connection broke before the end of the answer.")


def broken_stream() -> UnreachableError:
    """Return the error of a stream without a last event."""
    return UnreachableError("The stream broke before its last event.")


def answer(response: httpx.Response) -> Answer:
    """Return an answer whose body has been read."""
    headers = {name.lower(): value for name, value in response.headers.items()}
    return Answer(response.status_code, headers, response.content)


def content(document: Document) -> bytes:
    """Return the bytes of a document.

    Raises:
        OSError: the file cannot be read.
    """
    return document.read_bytes() if isinstance(document, Path) else document


def _base(url: str) -> httpx.URL:
    try:
        parsed = httpx.URL(url)
    except httpx.InvalidURL:
        parsed = httpx.URL()
    if parsed.scheme not in ("http", "https") or not parsed.host:
        raise ValueError("the address of a service looks like http://name:8080")
    return parsed


def _timeout(call: Call, timeout: float) -> httpx.Timeout:
    reading = max(timeout, call.wait_seconds + _MARGIN_SECONDS)
    if call.headers.get("Accept") == STREAMED:
        reading = _SILENCE_SECONDS
    return httpx.Timeout(timeout, read=reading)

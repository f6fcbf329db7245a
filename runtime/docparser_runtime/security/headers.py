"""Headers that keep browsers from doing more with an answer than it is meant for."""

from collections.abc import Mapping
from typing import Final

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

ALWAYS: Final = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
}
POLICY: Final = "Content-Security-Policy"
_NO_FRAMES: Final = "frame-ancestors 'none'"
NOTHING: Final = f"default-src 'none'; {_NO_FRAMES}; base-uri 'none'; form-action 'none'"
"""Policy of every answer that brings none of its own: it may load and run nothing."""
_HTTPS_ONLY: Final = {"Strict-Transport-Security": "max-age=31536000"}
_PRIVATE: Final = "/v1/"
"""Beginning of the paths whose answers hold documents."""


class SecurityHeaders:
    """ASGI middleware that adds them to every answer; a policy of the answer's own stays."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        added = headers_for(str(scope["path"]), str(scope.get("scheme", "http")))

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                _add(MutableHeaders(scope=message), added)
            await send(message)

        await self._app(scope, receive, send_with_headers)


def headers_for(path: str, scheme: str) -> dict[str, str]:
    """Return the headers of answers at `path`, as long as the answer has no others."""
    private = {"Cache-Control": "no-store"} if path.startswith(_PRIVATE) else {}
    return {POLICY: NOTHING, **private, **refusal_headers(scheme)}


def refusal_headers(scheme: str) -> dict[str, str]:
    """Return the headers of an answer to something that is no request."""
    return {**ALWAYS, **(_HTTPS_ONLY if scheme == "https" else {})}


def _add(headers: MutableHeaders, added: Mapping[str, str]) -> None:
    for name, value in added.items():
        headers.setdefault(name, value)
    if "frame-ancestors" not in headers[POLICY]:
        headers[POLICY] = f"{headers[POLICY].rstrip('; ')}; {_NO_FRAMES}"

"""Asks for the bearer token, where one is set."""

import hmac

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from docparser_runtime.boundary import CLUSTER_PATHS
from docparser_runtime.errors import Unauthorized


class BearerToken:
    """ASGI middleware that lets no request without the token pass, whatever its path."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._token = token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] == "http" and scope["path"] not in CLUSTER_PATHS:
            self._check(Headers(scope=scope).get("authorization", ""))
        await self._app(scope, receive, send)

    def _check(self, authorization: str) -> None:
        scheme, _, token = authorization.partition(" ")
        known = hmac.compare_digest(token.strip().encode("latin-1"), self._token)
        if scheme.lower() != "bearer" or not known:
            raise Unauthorized(
                "Send the header Authorization: Bearer <token>.",
                headers={"WWW-Authenticate": 'Bearer realm="docparser"'},
            )

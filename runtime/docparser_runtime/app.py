"""The ASGI application."""

import random
from typing import Any, Final

from fastapi import FastAPI
from fastapi.telemetry import TelemetryConfig
from starlette.types import ASGIApp

from docparser_runtime import apidoc, problems
from docparser_runtime.boundary import Boundary, Surroundings
from docparser_runtime.context import Context
from docparser_runtime.logs import Log
from docparser_runtime.roles import Role
from docparser_runtime.routes import about, chat, health, page, parse, tasks
from docparser_runtime.security.access import Access, Security
from docparser_runtime.security.headers import SecurityHeaders

_PERCENT = 100
_NO_TELEMETRY: Final[TelemetryConfig] = {
    "tracing": False,
    "metrics": False,
    "logs": False,
    "operation_spans": False,
    "auto_configure": False,
}
"""Its own spans and logs would hold addresses and messages; those of `tracing` do not."""
_DOORS: Final = (parse, tasks, chat, health, about, page)
_ROUTES: Final = {
    Role.ALL: _DOORS,
    Role.GATEWAY: _DOORS,
    Role.WORKER: (health, about),
}


def create_app(context: Context, log: Log, security: Security, role: Role = Role.ALL) -> ASGIApp:
    """Return the application that serves `context` to those whom `security` lets in."""
    app = _Described(
        title="DocParser",
        version=context.version,
        description="Reads documents and answers with Markdown.",
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        telemetry=_NO_TELEMETRY,
    )
    app.with_token = security.tokens.asked_for
    app.state.context = context
    problems.register(app, [route for routes in _ROUTES[role] for route in routes.router.routes])
    for routes in _ROUTES[role]:
        app.include_router(routes.router)
    app.add_middleware(Access, security=security)
    app.add_middleware(Boundary, surroundings=_surroundings(context, log))
    app.add_middleware(SecurityHeaders)
    return app


class _Described(FastAPI):
    """FastAPI whose OpenAPI document is complete."""

    with_token = False

    def openapi(self) -> dict[str, Any]:
        """Return the document; it is made once."""
        if self.openapi_schema is None:
            apidoc.complete(super().openapi(), with_token=self.with_token)
        return super().openapi()


def _surroundings(context: Context, log: Log) -> Surroundings:
    share = context.config.access_log_percent / _PERCENT
    return Surroundings(
        metrics=context.metrics,
        log=log,
        is_draining=lambda: context.lifecycle.draining,
        tracing=context.tracing,
        is_sampled=lambda: random.random() < share,  # noqa: S311 (sampling, no secret)
    )

"""Services on the loopback address: real ones with chosen engines, and scripted answers."""

import asyncio
import io
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import uvicorn
from docparser_api.runtime import ModelSpec, RuntimeConfig
from docparser_runtime import logs
from docparser_runtime.app import create_app
from docparser_runtime.assembly import Parts, assemble
from docparser_runtime.engine.base import Engine
from docparser_runtime.protocol import bounded
from docparser_runtime.server import listen
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send
from unit.runtime.doubles import Reader, eventually
from unit.runtime.http.connections import Server
from unit.runtime.security.doors import security

MOST_BODY_BYTES = 1024 * 1024


@asynccontextmanager
async def listening(app: ASGIApp) -> AsyncIterator[str]:
    """Yield the address at which `app` is served."""
    sock = listen("127.0.0.1", 0)
    server = Server(
        uvicorn.Config(
            app,
            http=bounded(MOST_BODY_BYTES),
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
        )
    )
    serving = asyncio.create_task(server.serve(sockets=[sock]))
    await eventually(lambda: server.started)
    try:
        yield f"http://127.0.0.1:{sock.getsockname()[1]}"
    finally:
        server.should_exit = server.force_exit = True
        await serving


@asynccontextmanager
async def service_of(engine: Engine, token: str | None = None, **limits: Any) -> AsyncIterator[str]:
    """Yield the address of the real application, with `engine` and a double that opens files."""
    reader = Reader()
    log = logs.create(io.StringIO(), "error")
    parts = Parts(ModelSpec(engine="fake"), RuntimeConfig(**limits), engine, reader, log)
    context = assemble(parts)
    assert await context.lifecycle.load(engine, reader)
    doors = security(io.StringIO(), context.config.security, token=token)
    async with listening(create_app(context, log, doors)) as url:
        yield url
    await context.service.close(5)


@dataclass
class Scripted:
    """Answers one after the other, the last one again and again; keeps the requests' headers."""

    answers: Sequence[Response]
    headers: list[dict[bytes, bytes]] = field(default_factory=list)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        while (await receive()).get("more_body"):
            pass
        answer = self.answers[min(len(self.headers), len(self.answers) - 1)]
        self.headers.append(dict(scope["headers"]))
        await answer(scope, receive, send)

"""A service made of doubles."""

import io
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from typing import Any

import httpx
import pytest
from docparser_api.runtime import ModelSpec, RuntimeConfig
from docparser_runtime import logs
from docparser_runtime.app import create_app
from docparser_runtime.assembly import Parts, assemble
from unit.runtime.doubles import Reader, ScriptedEngine, Service, StartService
from unit.runtime.security.doors import security


@pytest.fixture
def engine() -> Iterator[ScriptedEngine]:
    scripted = ScriptedEngine()
    yield scripted
    scripted.release()


@pytest.fixture
async def start(engine: ScriptedEngine) -> AsyncIterator[StartService]:
    """Yield a function that starts services; its arguments are fields of the configuration."""
    async with AsyncExitStack() as stack:

        async def start_service(
            *, token: str | None = None, loaded: bool = True, **limits: Any
        ) -> Service:
            config = RuntimeConfig(**limits)
            stream = io.StringIO()
            log = logs.create(stream, config.log_level)
            reader = Reader()
            context = assemble(Parts(ModelSpec(engine="fake"), config, engine, reader, log))
            if loaded:
                assert await context.lifecycle.load(engine, reader)
            app = create_app(context, log, security(stream, config.security, token=token))
            transport = httpx.ASGITransport(app)
            client = httpx.AsyncClient(transport=transport, base_url="http://test")
            await stack.enter_async_context(client)
            stack.push_async_callback(context.service.close, 5)
            stack.callback(engine.release)
            return Service(context, engine, reader, client, app, stream)

        yield start_service


@pytest.fixture
async def service(start: StartService) -> Service:
    return await start()

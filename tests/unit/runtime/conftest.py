"""A service made of doubles."""

import asyncio
import io
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from docparser_api.runtime import ModelSpec, RuntimeConfig
from docparser_runtime import logs
from docparser_runtime.app import create_app
from docparser_runtime.assembly import Given, Parts, assemble
from docparser_runtime.tasks.keeping import Keeping
from docparser_runtime.tasks.place import TaskPlace
from docparser_runtime.tracing.spans import Tracing, Untraced
from unit.runtime.doubles import Reader, ScriptedEngine, Service, StartService
from unit.runtime.security.doors import security

UNTRACED = Untraced()


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
            *,
            token: str | None = None,
            tokens: Path | None = None,
            directory: Path | None = None,
            secrets: tuple[bytes, ...] = (),
            loaded: bool = True,
            tracing: Tracing = UNTRACED,
            **limits: Any,
        ) -> Service:
            config = RuntimeConfig(**limits)
            stream = io.StringIO()
            log = logs.create(stream, config.log_level)
            reader = Reader()
            kept = kept_in(directory, secrets) if directory else None
            given = Given(kept, tracing=tracing)
            context = assemble(Parts(ModelSpec(engine="fake"), config, engine, reader, log, given))
            if loaded:
                assert await context.lifecycle.load(engine, reader)
            await stack.enter_async_context(_working(context.tasks))
            doors = security(stream, config.security, token=token, file=tokens)
            app = create_app(context, log, doors)
            transport = httpx.ASGITransport(app)
            client = httpx.AsyncClient(transport=transport, base_url="http://test")
            await stack.enter_async_context(client)
            stack.push_async_callback(context.service.close, 5)
            stack.callback(engine.release)
            return Service(context, engine, reader, client, app, stream, directory)

        yield start_service


def kept_in(directory: Path, secrets: tuple[bytes, ...]) -> Keeping:
    """Return a place for tasks in `directory`."""
    objects = directory / "objects"
    return Keeping(f"sqlite:///{directory}/queue.db", objects.as_uri(), "stable", secrets)


@asynccontextmanager
async def _working(tasks: TaskPlace) -> AsyncIterator[None]:
    await tasks.open()
    working = asyncio.create_task(tasks.run())
    try:
        yield
    finally:
        tasks.stop()
        await working


@pytest.fixture
async def service(start: StartService) -> Service:
    return await start()

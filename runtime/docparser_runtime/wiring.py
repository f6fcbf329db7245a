"""Runs a service, or reads one file, as the environment says."""

import asyncio
import sys
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final

from docparser_api.names import ENV_DATABASE_URL, ENV_STORE_URL

from docparser_runtime import answers, logs
from docparser_runtime import config as environment
from docparser_runtime.app import create_app
from docparser_runtime.assembly import Given, Parts, assemble, parts_of
from docparser_runtime.config import ConfigError
from docparser_runtime.context import Context
from docparser_runtime.engine import heap
from docparser_runtime.engine.base import EngineLoadError
from docparser_runtime.lifecycle import Phase
from docparser_runtime.queue.failures import QueueUnusable
from docparser_runtime.roles import Role
from docparser_runtime.schemas import Options, ParseResponse
from docparser_runtime.security import assembly
from docparser_runtime.security.assembly import DoorLogs
from docparser_runtime.server import Serving, listen
from docparser_runtime.storage import access
from docparser_runtime.storage.access import VARIABLES as STORE_VARIABLES
from docparser_runtime.tasks.keeping import keeping
from docparser_runtime.tracing import opening
from docparser_runtime.uploads import Upload

_TASKS_PATIENCE_SECONDS: Final = 30
"""Longest wait for the pages at hand, once all requests have been answered."""
_TRIM_SECONDS: Final = 30
"""How often freed memory is given back: else a process keeps for weeks what it needed at once."""


@dataclass(frozen=True)
class Ending:
    """How serving ended.

    Attributes:
        failure: why no document could be read, if that is why it ended.
        clean: whether no thread is left in the engine. The interpreter would wait for such a
            thread, or crash under it.
    """

    failure: str | None
    clean: bool


def parse(environ: Mapping[str, str], upload: Upload[Options], engine: str | None) -> ParseResponse:
    """Return what `upload` says, read here and now by the code that also serves HTTP.

    `engine`, if any, replaces the one that `environ` names.

    Raises:
        ConfigError: `environ` does not describe a service, or there is no such engine.
        EngineLoadError: the engine cannot be loaded.
        DocParserError: the document cannot be read.
    """
    model, config = environment.load(environ, STORE_VARIABLES)
    if engine is not None:
        model = environment.with_engine(model, engine)
    log = logs.create(sys.stderr, "error")
    logs.route_libraries(sys.stderr, "error")
    return asyncio.run(_parse(parts_of(model, config, log, Given()), upload))


async def _parse(parts: Parts, upload: Upload[Options]) -> ParseResponse:
    context = assemble(parts)
    await asyncio.to_thread(parts.engine.load)
    await parts.reader.start()
    try:
        reading = await context.service.parse(upload)
    finally:
        await context.service.close()
        context.engine.close()
        await parts.reader.close()
        parts.engine.close()
    request_id = uuid.uuid4().hex
    return answers.response(
        reading, upload.options, request_id=request_id, model=context.model_name
    )


def serve(environ: Mapping[str, str], host: str, port: int, role: Role) -> Ending:
    """Serve until told to leave.

    Raises:
        ConfigError: `environ` does not describe a service.
        ListenError: the address cannot be listened on.
    """
    heap.keep_little()
    model, config = environment.load(environ, STORE_VARIABLES)
    kept = keeping(environ)
    if role is not Role.ALL and kept is None:
        raise ConfigError(f"a {role} needs tasks: set {ENV_DATABASE_URL} and {ENV_STORE_URL}")
    log = logs.create(sys.stderr, config.log_level)
    # The audit log is written whatever the level of the other.
    doors = assembly.doors(environ, config.security, DoorLogs(log, logs.create(sys.stderr, "info")))
    tracing = opening.opened(environ, role, log)
    sock = listen(host, port)
    logs.route_libraries(sys.stderr, config.log_level)
    try:
        parts = parts_of(model, config, log, Given(kept, access.read(environ), role, tracing))
    except EngineLoadError as error:
        log.error("engine_load_failed", reason=str(error))  # noqa: TRY400 (it tells all)
        return Ending(failure=str(error), clean=True)
    context = assemble(parts)
    app = create_app(context, log, doors.security, role)
    loading = partial(_load, parts, context)
    serving = Serving(app, context.lifecycle, loading, config, log, sock, doors)
    try:
        return asyncio.run(_serve(serving, parts, context))
    finally:
        tracing.close()


async def _load(parts: Parts, context: Context) -> bool:
    try:
        # Without its queue a gateway can do nothing.
        waiting = context.tasks.open() if parts.given.role.reads else context.tasks.until_open()
        await waiting
    except (ConfigError, QueueUnusable) as error:
        return context.lifecycle.fail(error)
    loaded = await context.lifecycle.load(parts.engine, parts.reader)
    heap.settle()
    return loaded


async def _serve(serving: Serving, parts: Parts, context: Context) -> Ending:
    working = asyncio.create_task(context.tasks.run())
    trimming = asyncio.create_task(_trim())
    context.lifecycle.on_drain(context.tasks.stop_working)
    try:
        await serving.run()
        context.tasks.stop()
        await asyncio.wait({working}, timeout=_TASKS_PATIENCE_SECONDS)
        if working.done() and not working.cancelled():
            working.exception()  # the lifecycle knows of it
        idle = await context.service.close(patience_seconds=2)
        context.engine.close()
    finally:
        trimming.cancel()
        await parts.reader.close()
    clean = idle and working.done() and context.lifecycle.phase is not Phase.LOADING
    if clean:
        parts.engine.close()
    return Ending(context.lifecycle.failure, clean)


async def _trim() -> None:
    while True:
        await asyncio.sleep(_TRIM_SECONDS)
        await asyncio.to_thread(heap.collect)

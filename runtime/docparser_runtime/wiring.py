"""Puts the parts together."""

import asyncio
import sys
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from typing import Final

from docparser_api.runtime import ModelSpec, RuntimeConfig
from prometheus_client import CollectorRegistry

from docparser_runtime import answers, logs
from docparser_runtime import config as environment
from docparser_runtime.app import create_app
from docparser_runtime.body import MemoryBudget
from docparser_runtime.context import Context
from docparser_runtime.documents.base import DocumentReader
from docparser_runtime.documents.reader import SubprocessReader
from docparser_runtime.engine.base import Engine, EngineLoadError
from docparser_runtime.engine.registry import create_engine
from docparser_runtime.gate import Gate
from docparser_runtime.lifecycle import Lifecycle, Phase
from docparser_runtime.metrics import Metrics
from docparser_runtime.page_engine import PageEngine
from docparser_runtime.reading import DocumentWork
from docparser_runtime.schemas import ParseResponse
from docparser_runtime.security import assembly
from docparser_runtime.security.assembly import DoorLogs
from docparser_runtime.server import Serving, listen
from docparser_runtime.service import ParseService, Tools
from docparser_runtime.uploads import Upload

_SPARE_BODIES: Final = 2
"""Bodies of the largest size that may wait, beside those that are being read."""


@dataclass(frozen=True)
class Parts:
    """What a service is made of."""

    model: ModelSpec
    config: RuntimeConfig
    engine: Engine
    reader: DocumentReader
    log: logs.Log


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


def assemble(parts: Parts) -> Context:
    """Return the service made of `parts`."""
    config = parts.config
    metrics = Metrics(CollectorRegistry())
    gate = Gate(config.max_concurrency, config.max_queue_length, config.queue_timeout_seconds)
    metrics.observe_gate(lambda: gate.running, lambda: gate.waiting)
    name = parts.model.name or parts.engine.name
    release = version("docparser-runtime")
    metrics.describe_build(release, parts.model.engine, name)
    pages = PageEngine(parts.engine, config.max_concurrency, metrics, parts.log)
    work = DocumentWork(parts.reader, pages, config.max_concurrency)
    return Context(
        model=parts.model,
        config=config,
        model_name=name,
        version=release,
        lifecycle=Lifecycle(metrics, parts.log),
        gate=gate,
        budget=MemoryBudget(
            (config.max_concurrency + _SPARE_BODIES) * config.max_body_bytes, gate.retry_after
        ),
        service=ParseService(config, Tools(work, pages, gate, metrics)),
        engine=pages,
        metrics=metrics,
    )


def parts_of(model: ModelSpec, config: RuntimeConfig, log: logs.Log) -> Parts:
    """Return the parts that the configuration asks for.

    Raises:
        EngineLoadError: the engine's libraries are missing or damaged.
    """
    try:
        engine = create_engine(model, config)
    except ImportError as error:
        raise EngineLoadError(f"engine {model.engine} cannot be imported: {error}") from None
    return Parts(model, config, engine, SubprocessReader(config), log)


def parse(environ: Mapping[str, str], upload: Upload, engine: str | None) -> ParseResponse:
    """Return what `upload` says, read here and now by the code that also serves HTTP.

    `engine`, if any, replaces the one that `environ` names.

    Raises:
        ConfigError: `environ` does not describe a service, or there is no such engine.
        EngineLoadError: the engine cannot be loaded.
        DocParserError: the document cannot be read.
    """
    model, config = environment.load(environ)
    if engine is not None:
        model = environment.with_engine(model, engine)
    log = logs.create(sys.stderr, "error")
    logs.route_libraries(sys.stderr, "error")
    return asyncio.run(_parse(parts_of(model, config, log), upload))


async def _parse(parts: Parts, upload: Upload) -> ParseResponse:
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
    return answers.response(reading, request_id=uuid.uuid4().hex, model=context.model_name)


def serve(environ: Mapping[str, str], host: str, port: int) -> Ending:
    """Serve until told to leave.

    Raises:
        ConfigError: `environ` does not describe a service.
        ListenError: the address cannot be listened on.
    """
    model, config = environment.load(environ)
    log = logs.create(sys.stderr, config.log_level)
    # The audit log is written whatever the level of the other.
    doors = assembly.doors(environ, config.security, DoorLogs(log, logs.create(sys.stderr, "info")))
    sock = listen(host, port)
    logs.route_libraries(sys.stderr, config.log_level)
    try:
        parts = parts_of(model, config, log)
    except EngineLoadError as error:
        log.error("engine_load_failed", reason=str(error))  # noqa: TRY400 (it tells all)
        return Ending(failure=str(error), clean=True)
    context = assemble(parts)
    app = create_app(context, log, doors.security)
    loading = partial(_load, parts, context)
    serving = Serving(app, context.lifecycle, loading, config, log, sock, doors)
    return asyncio.run(_serve(serving, parts, context))


async def _load(parts: Parts, context: Context) -> bool:
    return await context.lifecycle.load(parts.engine, parts.reader)


async def _serve(serving: Serving, parts: Parts, context: Context) -> Ending:
    try:
        await serving.run()
        idle = await context.service.close(patience_seconds=2)
        context.engine.close()
    finally:
        await parts.reader.close()
    clean = idle and context.lifecycle.phase is not Phase.LOADING
    if clean:
        parts.engine.close()
    return Ending(context.lifecycle.failure, clean)

"""Puts the parts of a service together."""

from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Final

from docparser_api.runtime import ModelSpec, RuntimeConfig
from prometheus_client import CollectorRegistry

from docparser_runtime import logs
from docparser_runtime.body import MemoryBudget
from docparser_runtime.context import Context
from docparser_runtime.documents.base import DocumentReader
from docparser_runtime.documents.reader import SubprocessReader
from docparser_runtime.engine.absent import AbsentEngine
from docparser_runtime.engine.base import Engine, EngineLoadError
from docparser_runtime.engine.registry import create_engine, traits_of
from docparser_runtime.gate import Gate
from docparser_runtime.lifecycle import Lifecycle, Phase
from docparser_runtime.metrics import Metrics
from docparser_runtime.page_engine import PageEngine
from docparser_runtime.parsing import LocalParsing, QueuedParsing
from docparser_runtime.reading import DocumentWork
from docparser_runtime.roles import Role
from docparser_runtime.searchable import SearchablePdfs
from docparser_runtime.service import ParseService, Tools
from docparser_runtime.sources import UrlSources
from docparser_runtime.storage.access import Access
from docparser_runtime.tasks.callbacks import outbound_of
from docparser_runtime.tasks.keeping import Keeping
from docparser_runtime.tasks.place import TaskPlace
from docparser_runtime.tasks.place import Tools as TaskTools
from docparser_runtime.tracing.spans import Tracing, Untraced

_SPARE_BODIES: Final = 2
"""Bodies of the largest size that may wait, beside those that are being read."""


@dataclass(frozen=True)
class Given:
    """What a process is for, and where tasks are.

    Attributes:
        keeping: where tasks are kept; None for nowhere.
        access: how an S3 store of theirs is reached.
    """

    keeping: Keeping | None = None
    access: Access = field(default_factory=Access)
    role: Role = Role.ALL
    tracing: Tracing = field(default_factory=Untraced)


@dataclass(frozen=True)
class Parts:
    """What a service is made of."""

    model: ModelSpec
    config: RuntimeConfig
    engine: Engine
    reader: DocumentReader
    log: logs.Log
    given: Given = field(default_factory=Given)


def _engine(model: ModelSpec, config: RuntimeConfig, role: Role) -> Engine:
    if role.reads:
        return create_engine(model, config)
    return AbsentEngine(model.engine, traits_of(model, config))


def assemble(parts: Parts) -> Context:
    """Return the service made of `parts`."""
    config = parts.config
    metrics = Metrics(CollectorRegistry())
    gate = Gate(config.max_concurrency, config.max_queue_length, config.queue_timeout_seconds)
    metrics.observe_gate(lambda: gate.running, lambda: gate.waiting)
    metrics.observe_devices(parts.engine.devices)
    name = parts.model.name or parts.engine.name
    release = version("docparser-runtime")
    metrics.describe_build(release, parts.model.engine, name)
    lifecycle = Lifecycle(metrics, parts.log)
    pages = PageEngine(parts.engine, config.max_concurrency, metrics, parts.log)
    work = DocumentWork(parts.reader, pages, config.max_concurrency)
    service = ParseService(config, Tools(work, pages, gate, metrics))
    tasks = _tasks(parts, metrics, lifecycle, _Reading(work, pages, gate, name))
    return Context(
        model=parts.model,
        config=config,
        model_name=name,
        version=release,
        lifecycle=lifecycle,
        gate=gate,
        budget=MemoryBudget(
            (config.max_concurrency + _SPARE_BODIES) * config.max_body_bytes, gate.retry_after
        ),
        service=service,
        engine=pages,
        tasks=tasks,
        parsing=QueuedParsing(tasks, config)
        if not parts.given.role.reads
        else LocalParsing(service, gate, lifecycle, tasks, name),
        sources=UrlSources(outbound_of(config.url_sources), config.max_body_bytes),
        searchable=SearchablePdfs(config, parts.reader),
        metrics=metrics,
        log=parts.log,
        tracing=parts.given.tracing,
    )


@dataclass(frozen=True)
class _Reading:
    """How pages are read here."""

    work: DocumentWork
    engine: PageEngine
    gate: Gate
    model_name: str


def _tasks(parts: Parts, metrics: Metrics, lifecycle: Lifecycle, reading: _Reading) -> TaskPlace:
    tools = TaskTools(
        config=parts.config,
        reader=parts.reader,
        work=reading.work,
        gate=reading.gate,
        metrics=metrics,
        model_name=reading.model_name,
        is_ready=lambda: lifecycle.phase is Phase.READY,
        works=parts.given.role.reads,
        traits=reading.engine.traits,
        log=parts.log,
        tracing=parts.given.tracing,
    )
    return TaskPlace(parts.given.keeping, parts.given.access, tools)


def parts_of(model: ModelSpec, config: RuntimeConfig, log: logs.Log, given: Given) -> Parts:
    """Return the parts that the configuration asks for.

    Raises:
        EngineLoadError: the engine's libraries are missing or damaged.
    """
    try:
        engine = _engine(model, config, given.role)
    except ImportError as error:
        raise EngineLoadError(f"engine {model.engine} cannot be imported: {error}") from None
    # Requests and tasks have limits of their own; whoever opens a document asks for its pages.
    most_pages = max(config.max_pages, config.tasks.max_pages if given.keeping is not None else 0)
    reader = SubprocessReader(config.model_copy(update={"max_pages": most_pages}))
    return Parts(model, config, engine, reader, log, given)

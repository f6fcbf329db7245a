"""What the routes work with."""

from dataclasses import dataclass
from typing import Annotated, cast

from docparser_api.runtime import ModelSpec, RuntimeConfig
from fastapi import Depends, Request

from docparser_runtime.body import MemoryBudget
from docparser_runtime.gate import Gate
from docparser_runtime.lifecycle import Lifecycle
from docparser_runtime.logs import Log
from docparser_runtime.metrics import Metrics
from docparser_runtime.page_engine import PageEngine
from docparser_runtime.parsing import Parsing
from docparser_runtime.searchable import SearchablePdfs
from docparser_runtime.service import ParseService
from docparser_runtime.sources import UrlSources
from docparser_runtime.tasks.place import TaskPlace
from docparser_runtime.tracing.spans import Tracing


@dataclass(frozen=True)
class Context:
    """One service, wired.

    Attributes:
        model_name: what answers report as `model`.
        budget: memory of all request bodies.
    """

    model: ModelSpec
    config: RuntimeConfig
    model_name: str
    version: str
    lifecycle: Lifecycle
    gate: Gate
    budget: MemoryBudget
    service: ParseService
    engine: PageEngine
    tasks: TaskPlace
    parsing: Parsing
    sources: UrlSources
    searchable: SearchablePdfs
    metrics: Metrics
    log: Log
    tracing: Tracing


async def _of_request(request: Request) -> Context:
    return cast("Context", request.app.state.context)


InContext = Annotated[Context, Depends(_of_request)]

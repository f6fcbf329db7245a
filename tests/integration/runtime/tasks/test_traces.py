"""Traces reach a collector, over all processes of a service; without variables none is sent."""

import asyncio
import signal
import socket
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import httpx
import pytest
from docparser_api.names import (
    ENV_OTEL_TRACES_EXPORTER,
    ENV_OTLP_ENDPOINT,
    PATH_PARSE,
    PATH_TASKS,
)
from integration.runtime.processes import Program, environment, run, serving
from support.otlp_collector import Collector, ReceivedSpan, collecting
from unit.runtime.doubles import eventually

from .client import blank_pdf
from .conftest import Cluster

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
CLIENT = "00f067aa0ba902b7"
TRACEPARENT = {"traceparent": f"00-{TRACE}-{CLIENT}-01"}


@pytest.fixture
def collector() -> Iterator[Collector]:
    with collecting() as running:
        yield running


def traced(collector: Collector) -> dict[str, str]:
    """Return the variables of a process that is traced."""
    return {ENV_OTLP_ENDPOINT: collector.url, "OTEL_BSP_SCHEDULE_DELAY": "50"}


async def post(program: Program, path: str, pages: int = 1) -> httpx.Response:
    async with httpx.AsyncClient(base_url=program.url, timeout=60) as client:
        files = {"file": ("secret-name.pdf", blank_pdf(pages))}
        return await client.post(path, files=files, headers=TRACEPARENT)


async def test_gateway_queue_and_worker_are_one_trace(
    cluster: Cluster, collector: Collector
) -> None:
    environ = cluster.environment() | traced(collector)
    async with (
        serving(environ, role="gateway") as gateway,
        serving(environ, role="worker") as worker,
    ):
        answer = await post(gateway, PATH_PARSE, pages=3)
        assert answer.status_code == 200, answer.text
        assert has_exporter(worker)
        await eventually(lambda: bool(collector.named("task") and collector.named("request")))
        await eventually(lambda: len(collector.named("engine page")) == 3)
    spans = [span for span in collector.spans if span.trace_id == TRACE]
    (request,) = (span for span in spans if span.name == "request")
    (task,) = (span for span in spans if span.name == "task")
    assert request.parent_id == CLIENT
    assert request.attributes["http.route"] == PATH_PARSE
    assert request.attributes["http.response.status_code"] == 200
    assert request.attributes["docparser.code"] == "ok"
    assert request.resource["docparser.role"] == "gateway"
    assert task.resource["docparser.role"] == "worker"
    assert {task.parent_id, the(spans, "queue wait").parent_id} == {request.span_id}
    assert 0 <= the(spans, "queue wait").seconds <= request.seconds
    pages = [span for span in spans if span.name in ("draw page", "engine page")]
    assert sorted((s.name, s.attributes["docparser.page"]) for s in pages) == [
        *(("draw page", index) for index in range(3)),
        *(("engine page", index) for index in range(3)),
    ]
    saved = [span for span in spans if span.name == "save pages"]
    assert sum(span.attributes["docparser.pages"] for span in saved) == 3
    within = [*pages, *saved, the(spans, "result"), the(spans, "open document")]
    assert {span.parent_id for span in within} == {task.span_id}
    assert not any(span.failed for span in spans)
    assert not any("secret-name" in span.whole for span in spans)
    assert {line.get("trace_id") for line in gateway.events("request")} == {TRACE}
    assert not worker.events("traces_not_sent")


def the(spans: list[ReceivedSpan], name: str) -> ReceivedSpan:
    (span,) = (one for one in spans if one.name == name)
    return span


def has_exporter(program: Program) -> bool:
    """Return whether a process has loaded protobuf, which nothing but the exporter needs."""
    return "google/_upb" in Path(f"/proc/{program.process.pid}/maps").read_text()


@pytest.mark.parametrize("exporter", [{}, {ENV_OTEL_TRACES_EXPORTER: "none"}])
async def test_without_variables_nothing_is_sent_and_no_sdk_is_loaded(
    exporter: dict[str, str], collector: Collector
) -> None:
    environ = environment(lameDuckSeconds=0) | exporter
    if exporter:
        # The endpoint is there, but traces are not: whoever loaded the SDK would find it.
        environ |= traced(collector)
    async with serving(environ) as program:
        assert (await post(program, PATH_PARSE)).status_code == 200
        assert not has_exporter(program)
        program.signal(signal.SIGTERM)
        assert await program.exit_code() == 0
    assert all("trace_id" not in line for line in program.log)
    assert collector.connections == 0


async def test_a_collector_that_fails_disturbs_nobody_and_is_told_once(
    collector: Collector,
) -> None:
    collector.status = 400
    environ = environment(lameDuckSeconds=0) | traced(collector)
    async with serving(environ) as program:
        for number in range(3):
            assert (await post(program, PATH_PARSE)).status_code == 200
            await eventually(partial(has_exports, collector, number + 1))
        await eventually(lambda: bool(program.events("traces_not_sent")))
        program.signal(signal.SIGTERM)
        assert await program.exit_code() == 0
    assert collector.exports >= 3
    assert len(program.events("traces_not_sent")) == 1
    assert not [line for line in program.log if "logger" in line]


def has_exports(collector: Collector, count: int) -> bool:
    return collector.exports >= count


async def test_a_collector_that_is_silent_delays_the_end_by_little() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        to = {ENV_OTLP_ENDPOINT: f"http://127.0.0.1:{port}", "OTEL_BSP_SCHEDULE_DELAY": "50"}
        async with serving(environment(lameDuckSeconds=0) | to) as program:
            clock = asyncio.get_running_loop().time
            began = clock()
            assert (await post(program, PATH_PARSE)).status_code == 200
            program.signal(signal.SIGTERM)
            assert await program.exit_code() == 0
            assert clock() - began < 8
    assert program.events("traces_lost")
    assert not [line for line in program.log if "logger" in line]


async def test_variables_that_mean_nothing_end_the_start() -> None:
    environ = environment() | {ENV_OTLP_ENDPOINT: "http://127.0.0.1:9"}
    environ |= {"OTEL_BSP_MAX_QUEUE_SIZE": "-1"}
    code, _, errors = await run("serve", "--host", "127.0.0.1", "--port", "0", environ=environ)
    assert (code, "OTEL_" in errors, "Traceback" in errors) == (2, True, False), errors


async def test_what_is_left_is_sent_at_the_end(collector: Collector) -> None:
    environ = environment(lameDuckSeconds=0) | traced(collector)
    async with serving(environ | {"OTEL_BSP_SCHEDULE_DELAY": "60000"}) as program:
        assert (await post(program, PATH_PARSE)).status_code == 200
        assert (await post(program, PATH_TASKS)).status_code == 404
        assert collector.spans == []
        program.signal(signal.SIGTERM)
        assert await program.exit_code() == 0
    requests = {span.attributes["http.route"]: span for span in collector.named("request")}
    assert set(requests) == {PATH_PARSE, PATH_TASKS}
    assert requests[PATH_TASKS].attributes["docparser.code"] == "tasks_disabled"
    assert {span.trace_id for span in collector.spans} == {TRACE}

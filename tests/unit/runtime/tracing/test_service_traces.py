"""What a service tells of requests and tasks."""

from pathlib import Path

from docparser_api.names import PATH_READY, PATH_TASKS
from docparser_runtime.engine.base import PageImage, PageResult, ParseOptions
from docparser_runtime.tracing import spans
from opentelemetry.sdk.trace import ReadableSpan
from unit.runtime.doubles import PARSE, ScriptedEngine, StartService, a_document, eventually

from .conftest import Traces

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
HEADERS = {"traceparent": f"00-{TRACE}-00f067aa0ba902b7-01"}
SECRETS = {"Authorization": "Bearer canary", "X-Request-ID": "of-the-client"}


def parents(found: tuple[ReadableSpan, ...]) -> set[tuple[str, str | None]]:
    """Return each name with that of its parent; None for one elsewhere."""
    names = {span.context.span_id: span.name for span in found if span.context}
    return {(s.name, names.get(s.parent.span_id) if s.parent else None) for s in found}


async def test_steps_of_a_request(start: StartService, traces: Traces) -> None:
    service = await start(tracing=traces.tracing)
    files = {"file": ("canary.pdf", a_document(2, password="canary"))}
    without = await service.client.post(
        f"{PARSE}?unknown=canary", files=files, headers=HEADERS | SECRETS
    )
    assert without.status_code != 200
    answer = await service.client.post(
        PARSE, files=files, data={"password": "canary"}, headers=HEADERS | SECRETS
    )
    assert answer.status_code == 200, answer.text
    refused, request = traces.named("request")
    assert (refused.attributes or {})["http.response.status_code"] == without.status_code
    assert (refused.attributes or {})["docparser.code"] == without.json()["code"]
    assert dict(request.attributes or {}) == {
        "http.request.method": "POST",
        "http.route": PARSE,
        "http.response.status_code": 200,
        "docparser.code": "ok",
    }
    inside = ("queue wait", "open document", "draw page", "engine page")
    assert parents(traces.spans) == {("request", None), *((name, "request") for name in inside)}
    pages = [dict(span.attributes or {}) for span in traces.named("engine page")]
    assert pages == [{spans.PAGE: index, "docparser.tokens": 7} for index in range(2)]
    assert "canary" not in "".join(span.to_json() for span in traces.spans)
    assert {line["trace_id"] for line in service.log_lines("request")} == {TRACE}


async def test_probes_are_not_traced(start: StartService, traces: Traces) -> None:
    service = await start(tracing=traces.tracing)
    await service.client.get(PATH_READY)
    assert traces.spans == ()


async def test_steps_of_a_task(start: StartService, traces: Traces, tmp_path: Path) -> None:
    service = await start(directory=tmp_path, tracing=traces.tracing)
    files = {"file": ("canary.pdf", a_document(2))}
    answer = await service.client.post(PATH_TASKS, files=files, headers=HEADERS)
    assert answer.status_code == 202, answer.text
    await eventually(lambda: bool(traces.named("task")))
    found = tuple(s for s in traces.spans if s.context and f"{s.context.trace_id:032x}" == TRACE)
    inside = ("open document", "draw page", "engine page", "save pages", "result")
    assert parents(found) == {
        ("request", None),
        ("queue wait", "request"),
        ("task", "request"),
        *((name, "task") for name in inside),
    }
    (task,) = traces.named("task")
    assert dict(task.attributes or {}) == {"docparser.task": answer.json()["id"]}


async def test_failures_of_engine_and_task(
    start: StartService, traces: Traces, engine: ScriptedEngine, tmp_path: Path
) -> None:
    def fail(_: PageImage, __: ParseOptions) -> PageResult:
        raise ValueError("canary")

    engine.read = fail
    service = await start(directory=tmp_path, tracing=traces.tracing)
    await service.client.post(PATH_TASKS, files={"file": ("a.pdf", a_document())}, headers=HEADERS)
    await service.client.post(PARSE, files={"file": ("a.pdf", a_document())})
    await eventually(lambda: bool(traces.named("task")))
    for name in ("task", "request", "engine page"):
        span = traces.named(name)[-1]
        assert (span.attributes or {})["error.type"] == "engine_failed", name
        assert not span.status.is_ok, name
    assert "canary" not in "".join(span.to_json() for span in traces.spans)
    assert {line.get("trace_id") for line in service.log_lines("engine_failed")} >= {TRACE}

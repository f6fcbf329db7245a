import asyncio
import threading
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest
from docparser_runtime.errors import EngineFailed
from docparser_runtime.tracing import spans
from docparser_runtime.tracing.recording import QuietExporter, RecordedTracing
from docparser_runtime.tracing.spans import QueuedTask
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import (
    BatchSpanProcessor,
    SpanExporter,
    SpanExportResult,
)
from opentelemetry.trace import StatusCode

from .conftest import Traces

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
CLIENT = f"00-{TRACE}-00f067aa0ba902b7"
QUEUED = datetime(2026, 1, 2, tzinfo=UTC)


def trace_of(span: ReadableSpan) -> str:
    assert span.context is not None
    return f"{span.context.trace_id:032x}"


def parent_of(span: ReadableSpan) -> int | None:
    return span.parent and span.parent.span_id


def id_of(span: ReadableSpan) -> int:
    assert span.context is not None
    return int(span.context.span_id)


def test_steps_outside_of_a_trace_do_nothing() -> None:
    with spans.step("engine page", number=1):
        spans.note({"number": 2})
        spans.fail("engine_failed")
        assert spans.traceparent() is None


def test_a_request_goes_on_with_the_trace_of_its_client(traces: Traces) -> None:
    with traces.tracing.of_request(f"{CLIENT}-01"):
        carried = spans.traceparent()
        with spans.step("open document"):
            traces.log.info("inside")
    inner, outer = traces.spans
    assert trace_of(outer) == trace_of(inner) == TRACE
    assert parent_of(outer) == 0x00F067AA0BA902B7
    assert parent_of(inner) == id_of(outer)
    assert carried == f"00-{TRACE}-{id_of(outer):016x}-01"
    assert traces.log_lines()[0]["trace_id"] == TRACE
    assert spans.traceparent() is None


def test_what_a_client_does_not_want_traced_is_not_recorded(traces: Traces) -> None:
    with traces.tracing.of_request(f"{CLIENT}-00"), spans.step("open document"):
        carried = spans.traceparent()
    assert traces.spans == ()
    assert carried is not None
    assert carried.startswith(f"00-{TRACE}-")
    assert carried.endswith("-00")


@pytest.mark.parametrize("sent", [None, "", "nonsense", f"00-{'0' * 32}-{'0' * 16}-01", "é" * 99])
def test_a_trace_begins_where_none_can_be_read(traces: Traces, sent: str | None) -> None:
    with traces.tracing.of_request(sent):
        pass
    (span,) = traces.spans
    assert span.parent is None
    assert trace_of(span) != "0" * 32


def test_a_task_and_its_wait_belong_to_who_queued_it(traces: Traces) -> None:
    started = QUEUED + timedelta(seconds=3)
    with traces.tracing.of_task(QueuedTask("a", f"{CLIENT}-01", QUEUED, started)):
        pass
    wait, task = traces.spans
    assert (wait.name, task.name) == ("queue wait", "task")
    assert {trace_of(wait), trace_of(task)} == {TRACE}
    assert {parent_of(wait), parent_of(task)} == {0x00F067AA0BA902B7}
    assert wait.start_time is not None
    assert wait.end_time is not None
    assert wait.end_time - wait.start_time == 3 * 10**9


def test_a_task_that_nobody_traced_is_one_trace_with_its_wait(traces: Traces) -> None:
    # A clock that was put back must not make the wait end before it began.
    with traces.tracing.of_task(QueuedTask("a", None, QUEUED, QUEUED - timedelta(1))):
        pass
    wait, task = traces.spans
    assert trace_of(wait) == trace_of(task)
    assert parent_of(wait) == id_of(task)
    assert wait.start_time == wait.end_time


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (EngineFailed("canary"), "engine_failed"),
        (ValueError("canary"), "ValueError"),
        (asyncio.CancelledError("canary"), "cancelled"),
    ],
)
def test_errors_are_told_by_their_code(traces: Traces, error: BaseException, code: str) -> None:
    with (
        pytest.raises(type(error)),
        traces.tracing.of_request(None),
        spans.step("engine page"),
    ):
        raise error
    step = traces.spans[0]
    assert step.attributes == {"error.type": code}
    assert step.status.status_code is StatusCode.ERROR
    assert "canary" not in "".join(span.to_json() for span in traces.spans)


class Scripted(SpanExporter):
    """Works or fails as a script says: a word for each export."""

    def __init__(self, script: str) -> None:
        self._script = script.split()

    def export(self, _: Sequence[ReadableSpan]) -> SpanExportResult:
        match self._script.pop(0):
            case "works":
                return SpanExportResult.SUCCESS
            case "raises":
                raise OSError("http://user:canary@collector")
        return SpanExportResult.FAILURE


def test_a_failing_export_is_told_once_until_it_works_again(traces: Traces) -> None:
    script = "works fails raises fails works works raises"
    exporter = QuietExporter(Scripted(script), traces.log)
    results = [exporter.export(()) is SpanExportResult.SUCCESS for _ in script.split()]
    assert results == [word == "works" for word in script.split()]
    events = [line["event"] for line in traces.log_lines()]
    assert events == ["traces_not_sent", "traces_sent_again", "traces_not_sent"]
    assert "canary" not in traces.stream.getvalue()


class Stuck(SpanExporter):
    def __init__(self) -> None:
        self.go = threading.Event()

    def export(self, _: Sequence[ReadableSpan]) -> SpanExportResult:
        assert self.go.wait(10)
        return SpanExportResult.SUCCESS


@pytest.mark.parametrize("is_stuck", [True, False])
def test_the_end_does_not_wait_for_an_exporter_that_is_stuck(
    traces: Traces, *, is_stuck: bool
) -> None:
    exporter = Stuck()
    if not is_stuck:
        exporter.go.set()
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(exporter))
    tracing = RecordedTracing(provider, traces.log, flush_seconds=0.05 if is_stuck else 10)
    with tracing.of_request(None):
        pass
    tracing.close()
    exporter.go.set()
    assert [line["event"] for line in traces.log_lines()] == ["traces_lost"] * is_stuck

"""Spans of the OpenTelemetry SDK. Imported only where traces are wanted: the SDK is large."""

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Final

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult
from opentelemetry.trace import SpanKind, StatusCode, Tracer
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from docparser_runtime import logs
from docparser_runtime.logs import Log
from docparser_runtime.tracing.spans import QueuedTask, Value, entered

FLUSH_SECONDS: Final = 2.0
"""Longest wait for the last spans to be sent at the end."""
_TRACEPARENT: Final = "traceparent"
_NANOSECONDS: Final = 1_000_000_000


class RecordedSpan:
    """A step that the SDK records."""

    def __init__(self, tracer: Tracer, span: trace.Span) -> None:
        self._tracer = tracer
        self._span = span

    @property
    def trace_id(self) -> str:
        """The trace that the step belongs to."""
        return trace.format_trace_id(self._span.get_span_context().trace_id)

    @property
    def traceparent(self) -> str:
        """The step as other processes name it."""
        context = self._span.get_span_context()
        span_id = trace.format_span_id(context.span_id)
        return f"00-{self.trace_id}-{span_id}-{context.trace_flags & 1:02x}"

    @property
    def context(self) -> Context:
        """The step as the parent of others."""
        return trace.set_span_in_context(self._span, Context())

    def child(self, name: str, attributes: Mapping[str, Value]) -> "RecordedSpan":
        """Return a step of this step."""
        span = self._tracer.start_span(name, self.context, attributes=attributes)
        return RecordedSpan(self._tracer, span)

    def note(self, attributes: Mapping[str, Value]) -> None:
        """Add what is known by now."""
        self._span.set_attributes(attributes)

    def fail(self, code: str) -> None:
        """Note that the step failed. The message of an error may quote a document."""
        self._span.set_attribute("error.type", code)
        self._span.set_status(StatusCode.ERROR)

    def end(self) -> None:
        """End the step now."""
        self._span.end()


class RecordedTracing:
    """Traces by way of a provider, which it owns."""

    def __init__(
        self, provider: TracerProvider, log: Log, flush_seconds: float = FLUSH_SECONDS
    ) -> None:
        self._provider = provider
        self._flush_seconds = flush_seconds
        self._tracer = provider.get_tracer("docparser_runtime")
        self._log = log

    @contextmanager
    def of_request(self, traceparent: str | None) -> Iterator[None]:
        """Return a context that is the step `request`."""
        begun = self._tracer.start_span("request", _remote(traceparent), SpanKind.SERVER)
        with self._entered(RecordedSpan(self._tracer, begun)):
            yield

    @contextmanager
    def of_task(self, task: QueuedTask) -> Iterator[None]:
        """Return a context that is the step `task`, after the step `queue wait`."""
        before = _remote(task.traceparent)
        begun = self._tracer.start_span(
            "task", before, SpanKind.CONSUMER, attributes={"docparser.task": task.id}
        )
        span = RecordedSpan(self._tracer, begun)
        # Where nobody traced the request, the wait is told by the task alone.
        waited = self._tracer.start_span(
            "queue wait", before or span.context, start_time=_nanoseconds(task.queued_at)
        )
        waited.end(_nanoseconds(max(task.queued_at, task.started_at)))
        with self._entered(span):
            yield

    def close(self) -> None:
        """Send what is left; a collector that does not answer delays the end by so long."""
        closing = threading.Thread(target=self._provider.shutdown, name="traces", daemon=True)
        closing.start()
        closing.join(self._flush_seconds)
        if closing.is_alive():
            self._log.warning("traces_lost", seconds=self._flush_seconds)

    @contextmanager
    def _entered(self, span: RecordedSpan) -> Iterator[None]:
        with logs.of_trace(span.trace_id), entered(span):
            yield


class QuietExporter(SpanExporter):
    """Tells once that spans cannot be sent, and once that they can again."""

    def __init__(self, exporter: SpanExporter, log: Log) -> None:
        self._exporter = exporter
        self._log = log
        self._failing = False

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Send spans; they are lost when that fails."""
        try:
            result = self._exporter.export(spans)
        except Exception:  # noqa: BLE001 (whatever it is, it must not disturb requests)
            result = SpanExportResult.FAILURE
        failing = result is not SpanExportResult.SUCCESS
        if failing and not self._failing:
            self._log.warning("traces_not_sent", spans=len(spans))
        elif self._failing and not failing:
            self._log.info("traces_sent_again")
        self._failing = failing
        return result

    def shutdown(self) -> None:
        """End the exporter."""
        self._exporter.shutdown()

    def force_flush(self, timeout_millis: int = 30000) -> bool:
        """Return whether the exporter holds nothing back."""
        return self._exporter.force_flush(timeout_millis)


def _remote(traceparent: str | None) -> Context:
    """Return the step of another process as a parent; empty when there is none, or no valid one."""
    if traceparent is None:
        return Context()
    return TraceContextTextMapPropagator().extract({_TRACEPARENT: traceparent}, Context())


def _nanoseconds(time: datetime) -> int:
    return int(time.timestamp() * _NANOSECONDS)

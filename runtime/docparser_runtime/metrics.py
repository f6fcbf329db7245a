"""Every metric, declared once, in a registry that is passed in."""

from collections.abc import Callable
from typing import Final

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    GCCollector,
    Histogram,
    PlatformCollector,
    ProcessCollector,
)

from docparser_runtime.task_metrics import TaskMetrics

# Close enough to tell latencies apart that differ by half, as the judgement of a rollout must.
_SECONDS: Final = (
    *(0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 1.5, 2, 3, 4, 5),
    *(7.5, 10, 15, 20, 30, 45, 60, 90, 120, 180, 300, 600),
)


class Metrics:
    """What the service counts and measures."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.registry = registry
        self.requests = Counter(
            "docparser_requests",
            "Requests that were answered, apart from probes; code is ok or that of the problem.",
            ("route", "status", "code"),
            registry=registry,
        )
        self.request_seconds = self._seconds(
            "docparser_request_duration_seconds",
            "Time from the request's headers to the last byte of its answer.",
            "route",
        )
        self.queue_seconds = self._seconds(
            "docparser_queue_wait_seconds", "Time that a document waited for a place."
        )
        self.page_seconds = self._seconds(
            "docparser_page_duration_seconds", "Time that the engine took for a page."
        )
        self.pages = self._count("docparser_pages", "Pages that were read.")
        self.truncated = self._count(
            "docparser_pages_truncated", "Pages on which the engine stopped before the end."
        )
        self.repetition = self._count(
            "docparser_pages_repetition", "Pages on which the engine repeated itself."
        )
        self.vision_tokens = self._count("docparser_vision_tokens", "Tokens that page images took.")
        self.repaired = self._count(
            "docparser_documents_repaired", "Documents whose structure had to be mended."
        )
        self.ready = Gauge(
            "docparser_engine_ready", "Whether the engine is loaded.", registry=registry
        )
        self.load_seconds = Gauge(
            "docparser_engine_load_seconds",
            "Time that loading and warming up the engine took.",
            registry=registry,
        )
        self.tasks = TaskMetrics(registry)
        self._observe_process()

    def observe_gate(self, running: Callable[[], float], waiting: Callable[[], float]) -> None:
        """Report the gate's counts at each scrape."""
        for name, text, value in (
            ("docparser_requests_running", "Documents that are being read.", running),
            ("docparser_requests_waiting", "Documents that wait for a place.", waiting),
        ):
            Gauge(name, text, registry=self.registry).set_function(value)

    def describe_build(self, version: str, engine: str, model: str) -> None:
        """Report what runs, as labels of a constant."""
        labels = {"version": version, "engine": engine, "model": model}
        Gauge(
            "docparser_build_info",
            "What runs here; the value is always 1.",
            tuple(labels),
            registry=self.registry,
        ).labels(**labels).set(1)

    def _count(self, name: str, text: str) -> Counter:
        return Counter(name, text, registry=self.registry)

    def _seconds(self, name: str, text: str, *labels: str) -> Histogram:
        return Histogram(name, text, labels, buckets=_SECONDS, registry=self.registry)

    def _observe_process(self) -> None:
        ProcessCollector(registry=self.registry)
        PlatformCollector(registry=self.registry)
        GCCollector(registry=self.registry)

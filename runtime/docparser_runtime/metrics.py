"""Every metric, declared once, in a registry that is passed in."""

from collections.abc import Callable, Sequence
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

from docparser_runtime.device_metrics import DeviceMetrics
from docparser_runtime.engine.base import DeviceUse
from docparser_runtime.page_metrics import PageMetrics
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
        self.pages = PageMetrics(registry, _SECONDS)
        self.repaired = Counter(
            "docparser_documents_repaired",
            "Documents whose structure had to be mended.",
            registry=registry,
        )
        self.ready = Gauge(
            "docparser_engine_ready", "Whether the engine can read.", registry=registry
        )
        self.engine_deaths = Counter(
            "docparser_engine_deaths",
            "How often the engine's process, where it has one of its own, ended unasked.",
            registry=registry,
        )
        self.load_seconds = Gauge(
            "docparser_engine_load_seconds",
            "Time that loading and warming up the engine took.",
            registry=registry,
        )
        self.tasks = TaskMetrics(registry, _SECONDS)
        self._observe_process()

    def observe_gate(self, running: Callable[[], float], waiting: Callable[[], float]) -> None:
        """Report the gate's counts at each scrape."""
        for name, text, value in (
            ("docparser_requests_running", "Documents that are being read.", running),
            ("docparser_requests_waiting", "Documents that wait for a place.", waiting),
        ):
            Gauge(name, text, registry=self.registry).set_function(value)

    def observe_devices(self, devices: Callable[[], Sequence[DeviceUse]]) -> None:
        """Report what the engine takes of devices at each scrape."""
        self.registry.register(DeviceMetrics(devices))

    def describe_build(self, version: str, engine: str, model: str) -> None:
        """Report what runs, as labels of a constant."""
        labels = {"version": version, "engine": engine, "model": model}
        Gauge(
            "docparser_build_info",
            "What runs here; the value is always 1.",
            tuple(labels),
            registry=self.registry,
        ).labels(**labels).set(1)

    def _seconds(self, name: str, text: str, *labels: str) -> Histogram:
        return Histogram(name, text, labels, buckets=_SECONDS, registry=self.registry)

    def _observe_process(self) -> None:
        ProcessCollector(registry=self.registry)
        PlatformCollector(registry=self.registry)
        GCCollector(registry=self.registry)

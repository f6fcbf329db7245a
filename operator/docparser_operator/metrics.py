"""Every metric of the operator, declared once."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector

PREFIX = "docparser_operator"


class Metrics:
    """The metrics, on a registry of their own."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        self.reconciles = Counter(
            f"{PREFIX}_reconciles",
            "Passes over a DocParserDeployment, by outcome.",
            ["outcome"],
            registry=self.registry,
        )
        self.reconcile_duration = Histogram(
            f"{PREFIX}_reconcile_duration_seconds",
            "Duration of a pass.",
            buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30),
            registry=self.registry,
        )
        self.queue_depth = Gauge(
            f"{PREFIX}_queue_depth", "Keys that wait for a worker.", registry=self.registry
        )
        self.writes = Counter(
            f"{PREFIX}_api_writes",
            "Requests to the API server that write, by verb and kind.",
            ["verb", "kind"],
            registry=self.registry,
        )
        self.watch_events = Counter(
            f"{PREFIX}_watch_events",
            "Events received from the API server, by kind.",
            ["kind"],
            registry=self.registry,
        )
        self.leader = Gauge(
            f"{PREFIX}_leader", "1 while this process leads, else 0.", registry=self.registry
        )
        self.last_sync = Gauge(
            f"{PREFIX}_last_full_sync_timestamp_seconds",
            "When everything was last listed.",
            registry=self.registry,
        )
        self._declare_scrapes()

    def count_write(self, verb: str, kind: str) -> None:
        """Count one writing request."""
        self.writes.labels(verb, kind).inc()

    def _declare_scrapes(self) -> None:
        self.scrapes = Counter(
            f"{PREFIX}_scrapes",
            "Looks at the metrics of a pod, for an analysis or an autoscaler, by result.",
            ["result"],
            registry=self.registry,
        )
        self.scrape_duration = Histogram(
            f"{PREFIX}_scrape_duration_seconds",
            "Duration of such a look.",
            buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5),
            registry=self.registry,
        )

"""What the service counts and measures of tasks."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from docparser_runtime.queue.values import Backlog

_BACKLOG: Final = {
    "queued_jobs": "Tasks that wait, in the whole queue.",
    "queued_pages": "Their pages.",
    "running_jobs": "Tasks that are being read, in the whole queue.",
    "running_pages": "Their pages.",
    "oldest_seconds": "How long the oldest task has waited.",
}


class TaskMetrics:
    """Metrics of tasks."""

    def __init__(
        self, registry: CollectorRegistry, buckets: Sequence[float] = Histogram.DEFAULT_BUCKETS
    ) -> None:
        self.ended = Counter(
            "docparser_tasks",
            "Tasks that ended here; code is ok or that of the problem.",
            ("code",),
            registry=registry,
        )
        self.seconds = Histogram(
            "docparser_task_duration_seconds",
            "Time that the last attempt at a task took; status is that of its answer.",
            ("status",),
            buckets=buckets,
            registry=registry,
        )
        self.reaped, self.retracked = (
            Counter(name, text, registry=registry)
            for name, text in (
                ("docparser_tasks_reaped", "Tasks taken from workers which fell silent."),
                ("docparser_tasks_retracked", "Tasks whose track was gone, and got another one."),
            )
        )
        self._split = _split(registry)
        self.callbacks = Counter(
            "docparser_callbacks",
            "Attempts at callbacks; what became of them is delivered, failed or given_up.",
            ("outcome",),
            registry=registry,
        )
        self.shedding = Gauge(
            "docparser_shedding_level",
            "By how many tiers pages of low priority are lowered at most: 0, 1 or 2.",
            registry=registry,
        )
        self._backlog = {
            name: Gauge(f"docparser_queue_{name}", text, ("track",), registry=registry)
            for name, text in _BACKLOG.items()
        }

    def show_split(self, weights: Mapping[str, int]) -> None:
        """Report by which split new tasks get their tracks."""
        self._split.clear()
        for track, weight in weights.items():
            self._split.labels(track).set(weight)

    def show_backlog(self, backlog: Iterable[Backlog]) -> None:
        """Report what waits; tracks that are not named have nothing."""
        for gauge in self._backlog.values():
            gauge.clear()
        for track in backlog:
            for name, gauge in self._backlog.items():
                gauge.labels(track.track).set(getattr(track, name))


def _split(registry: CollectorRegistry) -> Gauge:
    return Gauge(
        "docparser_split_weight",
        "Share of new tasks that a track gets here, relative to the sum of all tracks.",
        ("track",),
        registry=registry,
    )

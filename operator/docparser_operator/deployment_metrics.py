"""What the status of each DocParserDeployment says, as metrics, made at each scrape.

The labels are `namespace` and `deployment`, as pods bear them: a scrape must keep them
(`honorLabels`), or else `namespace` is the operator's.
"""

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import Final

from docparser_api.rollout_status import RolloutStatus
from docparser_api.status import DocParserDeploymentStatus
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from docparser_operator.kinds import Key
from docparser_operator.metrics import PREFIX

Known = Iterable[tuple[Key, DocParserDeploymentStatus]]
Sample = tuple[str, tuple[str, ...], float]
"""Name of a gauge, values of its further labels, value."""

OWNER_LABELS: Final = ("namespace", "deployment")
_GAUGES: Final[dict[str, tuple[str, tuple[str, ...]]]] = {
    "deployment_info": (
        "Always 1; the labels are the revision that serves and the one that spec asks for.",
        ("current_revision", "update_revision"),
    ),
    "deployment_condition": (
        "Always 1; the labels are a condition as it stands in the status.",
        ("type", "status", "reason"),
    ),
    "deployment_replicas": (
        "Pods by state: those that serve, those that spec and those that the autoscaler wants.",
        ("state",),
    ),
    "rollout_weight_percent": (
        "Share of the requests that the revision of the latest rollout gets by its steps.",
        (),
    ),
    "rollout_steps": ("Number of steps of the latest rollout.", ()),
    "rollout_steps_done": ("Steps of the latest rollout that are done.", ()),
    "rollout_started_timestamp_seconds": ("When the latest rollout began.", ()),
    "rollout_progressed_timestamp_seconds": (
        "When the revision of the latest rollout last got more pods, or more available ones.",
        (),
    ),
    "rollout_analysis": (
        "Always 1; the label is the verdict on the revision of the latest rollout.",
        ("verdict",),
    ),
}
"""Meaning and further labels of each gauge."""


class DeploymentMetrics(Collector):
    """Gauges of all DocParserDeployments.

    Args:
        known: returns each with its status; none where another process tells of them.
    """

    def __init__(self, known: Callable[[], Known]) -> None:
        self._known = known

    def describe(self) -> Iterator[GaugeMetricFamily]:
        """Yield the gauges without values."""
        yield from _families().values()

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Yield the gauges."""
        families = _families()
        for key, status in self._known():
            for name, labels, value in _samples(status):
                families[name].add_metric((key.namespace, key.name, *labels), value)
        yield from families.values()


def _families() -> dict[str, GaugeMetricFamily]:
    return {
        name: GaugeMetricFamily(f"{PREFIX}_{name}", text, labels=(*OWNER_LABELS, *labels))
        for name, (text, labels) in _GAUGES.items()
    }


def _samples(status: DocParserDeploymentStatus) -> Iterator[Sample]:
    revisions = (status.current_revision or "", status.update_revision or "")
    yield "deployment_info", revisions, 1
    for condition in status.conditions:
        labels = (condition.type.value, condition.status, condition.reason.value)
        yield "deployment_condition", labels, 1
    counts = {
        "current": status.replicas,
        "ready": status.ready_replicas,
        "available": status.available_replicas,
        "updated": status.updated_replicas,
    }
    if status.autoscaling is not None:
        counts["desired"] = status.autoscaling.desired_replicas
    for state, count in counts.items():
        yield "deployment_replicas", (state,), count
    if status.rollout is not None:
        yield from _rollout_samples(status.rollout)


def _rollout_samples(rollout: RolloutStatus) -> Iterator[Sample]:
    progressed_at = rollout.progressed_at or rollout.started_at
    yield "rollout_weight_percent", (), rollout.weight
    yield "rollout_steps", (), rollout.steps
    yield "rollout_steps_done", (), rollout.step_index
    yield "rollout_started_timestamp_seconds", (), _unix_seconds(rollout.started_at)
    yield "rollout_progressed_timestamp_seconds", (), _unix_seconds(progressed_at)
    if rollout.analysis is not None:
        yield "rollout_analysis", (rollout.analysis.verdict,), 1


def _unix_seconds(timestamp: str) -> float:
    return datetime.fromisoformat(timestamp).timestamp()

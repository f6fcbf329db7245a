"""Names of the metrics that a service and the operator expose."""

from collections.abc import Iterable

from docparser_api.deployment import parse_status
from docparser_operator.deployment_metrics import DeploymentMetrics
from docparser_operator.kinds import Key
from docparser_operator.metrics import Metrics as OperatorMetrics
from docparser_runtime.device_metrics import DeviceMetrics
from docparser_runtime.engine.base import DeviceUse
from docparser_runtime.metrics import Metrics
from prometheus_client import CollectorRegistry
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

_ENDS_OF_HISTOGRAM = ("_bucket", "_sum", "_count")


def exposed_metrics() -> dict[str, str]:
    """Return each name of a service's, as it is asked for, with its kind."""
    return _kinds(_of_service())


def operator_metrics() -> dict[str, str]:
    """Return each name of the operator's, as it is asked for, with its kind."""
    return _kinds(_of_operator())


def labels_of_metrics() -> dict[str, set[str]]:
    """Return the labels of each series of both, by the name that queries use."""
    kinds = exposed_metrics() | operator_metrics()
    ends = {"histogram": _ENDS_OF_HISTOGRAM}
    asked = {name + end for name, kind in kinds.items() for end in ends.get(kind, ("",))}
    found: dict[str, set[str]] = {}
    for registry in (_of_service(), _of_operator()):
        for collector, names in registry._collector_to_names.items():
            of_family = {f.name: f._labelnames for f in _families(collector)}
            for name in asked.intersection(names):
                labels = of_family.get(name, getattr(collector, "_labelnames", ()))
                found[name] = {*labels, *(("le",) if name.endswith("_bucket") else ())}
    return found


def _families(collector: Collector) -> Iterable[GaugeMetricFamily]:
    found = collector.describe() if isinstance(collector, DeviceMetrics | DeploymentMetrics) else ()
    return [family for family in found if isinstance(family, GaugeMetricFamily)]


def _of_service() -> CollectorRegistry:
    registry = CollectorRegistry()
    metrics = Metrics(registry)
    metrics.observe_gate(lambda: 0, lambda: 0)
    metrics.observe_devices(lambda: [DeviceUse("0", 0.5, 1, 2, 3)])
    metrics.describe_build("1", "fake", "fake")
    return registry


def _of_operator() -> CollectorRegistry:
    registry = OperatorMetrics().registry
    registry.register(DeploymentMetrics(lambda: [(Key("ns", "name"), parse_status({}))]))
    return registry


def _kinds(registry: CollectorRegistry) -> dict[str, str]:
    return {
        metric.name + ("_total" if metric.type == "counter" else ""): metric.type
        for metric in registry.collect()
        if metric.name.startswith("docparser_")
    }

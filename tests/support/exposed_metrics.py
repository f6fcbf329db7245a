"""Names of the metrics that a service and the operator expose."""

from docparser_api.deployment import parse_status
from docparser_operator.deployment_metrics import DeploymentMetrics
from docparser_operator.kinds import Key
from docparser_operator.metrics import Metrics as OperatorMetrics
from docparser_runtime.engine.base import DeviceUse
from docparser_runtime.metrics import Metrics
from prometheus_client import CollectorRegistry


def exposed_metrics() -> dict[str, str]:
    """Return each name of a service's, as it is asked for, with its kind."""
    registry = CollectorRegistry()
    metrics = Metrics(registry)
    metrics.observe_gate(lambda: 0, lambda: 0)
    metrics.observe_devices(lambda: [DeviceUse("0", 0.5, 1, 2, 3)])
    metrics.describe_build("1", "fake", "fake")
    return _kinds(registry)


def operator_metrics() -> dict[str, str]:
    """Return each name of the operator's, as it is asked for, with its kind."""
    registry = OperatorMetrics().registry
    registry.register(DeploymentMetrics(lambda: [(Key("ns", "name"), parse_status({}))]))
    return _kinds(registry)


def _kinds(registry: CollectorRegistry) -> dict[str, str]:
    return {
        metric.name + ("_total" if metric.type == "counter" else ""): metric.type
        for metric in registry.collect()
        if metric.name.startswith("docparser_")
    }

"""What the chart tells Prometheus and Grafana."""

import json
import re

import pytest
import yaml
from docparser_api import names
from docparser_operator.desired.metadata import labels
from support import alerts, dashboards
from support.builders import ParserBuilder
from support.helm import Helm, Manifest, of_kind, one

ALL = [f"--set={part}.enabled=true" for part in ("serviceMonitor", "prometheusRule", "dashboards")]


@pytest.fixture(scope="module")
def objects(chart: Helm) -> list[Manifest]:
    return chart.rendered(*ALL)


def test_labels_that_the_operator_tells_stand(objects: list[Manifest]) -> None:
    (endpoint,) = one(objects, "ServiceMonitor")["spec"]["endpoints"]
    assert endpoint["honorLabels"] is True


def test_pods_are_found_and_labelled_as_rules_ask_for(objects: list[Manifest]) -> None:
    spec = one(objects, "PodMonitor")["spec"]
    borne = labels(ParserBuilder().built().metadata)
    assert spec["selector"]["matchLabels"].items() <= borne.items()
    (endpoint,) = spec["podMetricsEndpoints"]
    assert endpoint["port"] == names.PORT_NAME
    given = {r["targetLabel"]: r["sourceLabels"] for r in endpoint["relabelings"]}
    assert given == {
        "deployment": [as_prometheus_has_it(names.LABEL_INSTANCE)],
        "revision": [as_prometheus_has_it(names.LABEL_REVISION)],
    }
    assert borne[names.LABEL_INSTANCE] == ParserBuilder().name


def as_prometheus_has_it(label: str) -> str:
    return "__meta_kubernetes_pod_label_" + re.sub(r"\W", "_", label)


def test_pods_are_looked_for_where_the_operator_serves(chart: Helm) -> None:
    everywhere = one(chart.rendered(*ALL), "PodMonitor")["spec"]["namespaceSelector"]
    assert everywhere == {"any": True}
    some = chart.rendered(*ALL, "--set=watchNamespaces={ocr,scans}")
    assert one(some, "PodMonitor")["spec"]["namespaceSelector"] == {"matchNames": ["ocr", "scans"]}


def test_all_rules_are_installed(objects: list[Manifest]) -> None:
    groups = [rule["spec"]["groups"] for rule in of_kind(objects, "PrometheusRule")]
    assert groups == [yaml.safe_load(path.read_text())["groups"] for path in alerts.RULES]


def test_all_dashboards_are_installed(objects: list[Manifest]) -> None:
    maps = of_kind(objects, "ConfigMap")
    found = {name: json.loads(text) for m in maps for name, text in m["data"].items()}
    assert found == {path.name: json.loads(path.read_text()) for path in dashboards.FILES}

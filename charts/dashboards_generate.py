# ruff: noqa: INP001 (no package: the folder holds charts)
"""Writes Grafana's dashboards into the Helm chart; `make generate` runs it.

`dashboards.yaml` says which metric is shown where; what to ask for follows from its declaration.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import yaml
from docparser_api.deployment import parse_status
from docparser_operator.deployment_metrics import DeploymentMetrics
from docparser_operator.kinds import Key
from docparser_operator.metrics import Metrics as OperatorMetrics
from docparser_runtime.engine.base import DeviceUse
from docparser_runtime.metrics import Metrics as RuntimeMetrics
from prometheus_client import CollectorRegistry
from pydantic import BaseModel, ConfigDict

FOLDER = Path(__file__).parent
LAYOUT = FOLDER / "dashboards.yaml"
DASHBOARDS = FOLDER / "docparser-operator/files/dashboards"

WIDTH, HEIGHT, COLUMNS = 6, 8, 4
QUANTILES = (0.5, 0.95, 0.99)
INTERVAL = "$__rate_interval"
OBJECTS = "docparser_operator_deployment_info"
SELECTIONS = {
    "namespace": 'namespace=~"$namespace"',
    "deployment": 'namespace="$namespace", deployment="$deployment"',
    "operator": "",
}
# Not ours, and told by every process: those of the operator are those of pods that may lead.
OPERATORS_ONLY = " and on (namespace, pod) docparser_operator_leader"

Json = dict[str, Any]
Scope = Literal["namespace", "deployment", "operator"]
Summary = Literal["sum", "max", "avg", "count"]


@dataclass(frozen=True)
class Declared:
    """What a metric's declaration says: counter, gauge or histogram, and its meaning."""

    kind: str
    meaning: str


class Entry(BaseModel):
    """A part of `dashboards.yaml`, whose head explains it."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Panel(Entry):
    """A panel."""

    metric: str
    title: str
    by: tuple[str, ...] = ()
    where: str = ""
    of: Summary = "sum"
    over: str | None = None
    age: bool = False
    scope: Scope | None = None


class Row(Entry):
    """A row of panels."""

    title: str
    panels: tuple[Panel, ...]


class Dashboard(Entry):
    """A dashboard."""

    title: str
    scope: Literal["namespace", "deployment"]
    rows: tuple[Row, ...]


def declarations() -> dict[str, Declared]:
    """Return all metrics, by the names that queries use; those of histograms without ending."""
    operator, runtime = OperatorMetrics().registry, CollectorRegistry()
    operator.register(DeploymentMetrics(lambda: [(Key("", ""), parse_status({}))]))
    metrics = RuntimeMetrics(runtime)
    metrics.observe_gate(lambda: 0, lambda: 0)
    metrics.observe_devices(lambda: [DeviceUse("0", 0, 0, 0, 0)])
    metrics.describe_build("", "", "")
    return {
        family.name + ("_total" if family.type == "counter" else ""): Declared(
            family.type, family.documentation
        )
        for registry in (runtime, operator)
        for family in registry.collect()
    }


def contents() -> dict[Path, str]:
    """Return what the files of the dashboards have to hold, by path."""
    declared = declarations()
    layout = yaml.safe_load(LAYOUT.read_text())
    return {
        DASHBOARDS / f"{uid}.json": json.dumps(
            _dashboard(uid, Dashboard.model_validate(body), declared), indent=1
        )
        + "\n"
        for uid, body in layout.items()
    }


def _dashboard(uid: str, dashboard: Dashboard, declared: dict[str, Declared]) -> Json:
    return {
        "uid": uid,
        "title": dashboard.title,
        "tags": ["docparser"],
        "schemaVersion": 39,
        "editable": False,
        "refresh": "30s",
        "time": {"from": "now-6h", "to": "now"},
        "links": [{"type": "dashboards", "tags": ["docparser"], "title": "DocParser"}],
        "templating": {"list": list(_variables(dashboard.scope))},
        "panels": list(_panels(dashboard, declared)),
    }


def _variables(scope: str) -> Iterator[Json]:
    yield {"name": "datasource", "type": "datasource", "query": "prometheus"}
    is_fleet = scope == "namespace"
    several = {"multi": True, "includeAll": True, "allValue": ".*"} if is_fleet else {}
    yield _variable("namespace", f"label_values({OBJECTS}, namespace)") | several
    if not is_fleet:
        inside = f'{OBJECTS}{{namespace="$namespace"}}'
        yield _variable("deployment", f"label_values({inside}, deployment)")


def _variable(name: str, query: str) -> Json:
    return {
        "name": name,
        "type": "query",
        "datasource": {"type": "prometheus", "uid": "${datasource}"},
        "query": {"query": query, "refId": name},
        "refresh": 2,
        "sort": 1,
    }


def _panels(dashboard: Dashboard, declared: dict[str, Declared]) -> Iterator[Json]:
    """Yield rows and panels, each at its place."""
    number, y = 0, 0
    for row in dashboard.rows:
        number += 1
        place = {"h": 1, "w": WIDTH * COLUMNS, "x": 0, "y": y}
        yield {"id": number, "type": "row", "title": row.title, "gridPos": place, "panels": []}
        y += 1
        for index, panel in enumerate(row.panels):
            number += 1
            line, column = divmod(index, COLUMNS)
            place = {"h": HEIGHT, "w": WIDTH, "x": column * WIDTH, "y": y + line * HEIGHT}
            shown = _panel(panel, declared[panel.metric], panel.scope or dashboard.scope)
            yield {"id": number, "gridPos": place, **shown}
        y += HEIGHT * -(-len(row.panels) // COLUMNS)


def _panel(panel: Panel, metric: Declared, scope: Scope) -> Json:
    source = {"type": "prometheus", "uid": "${datasource}"}
    targets = [
        {"refId": chr(ord("A") + index), "datasource": source, "expr": query, "legendFormat": name}
        for index, (query, name) in enumerate(queries(panel, metric, scope))
    ]
    return {
        "type": "timeseries",
        "title": panel.title,
        "description": metric.meaning,
        "datasource": source,
        "targets": targets,
        "fieldConfig": {"defaults": {"unit": _unit(panel, metric), "min": 0}, "overrides": []},
        "options": {"legend": {"displayMode": "list", "placement": "bottom"}},
    }


def queries(panel: Panel, metric: Declared, scope: Scope) -> list[tuple[str, str]]:
    """Return the queries of a panel, each with the name of its series."""
    name = " ".join(f"{{{{{label}}}}}" for label in panel.by) or panel.title
    selection = ", ".join(part for part in (SELECTIONS[scope], panel.where) if part)
    series = f"{{{selection}}}" if selection else ""
    grouping = f" by ({', '.join(panel.by)})" if panel.by else ""
    if metric.kind == "histogram":
        labels = ", ".join(("le", *panel.by))
        rate = f"sum by ({labels}) (rate({panel.metric}_bucket{series}[{INTERVAL}]))"
        prefix = f"{name} " if panel.by else ""
        return [
            (f"histogram_quantile({q}, {rate})", f"{prefix}P{round(q * 100)}") for q in QUANTILES
        ]
    every = f"{{{SELECTIONS[scope]}}}" if SELECTIONS[scope] else ""
    if metric.kind == "counter":
        query = f"sum{grouping} (rate({panel.metric}{series}[{INTERVAL}]))"
        if panel.over is not None:
            query += f" / sum{grouping} (rate({panel.over}{every}[{INTERVAL}]))"
        return [(query, name)]
    value = panel.metric + series
    if panel.over is not None:
        value += f" / {panel.over}{every}"
    if scope == "operator" and not panel.metric.startswith("docparser_"):
        value += OPERATORS_ONLY
    query = f"{panel.of}{grouping} ({value})"
    return [(f"time() - {query}" if panel.age else query, name)]


def _unit(panel: Panel, metric: Declared) -> str:
    """Return Grafana's name of the unit."""
    if panel.over is not None or panel.metric.endswith("_ratio"):
        return "percentunit"
    if metric.kind == "counter":
        return "cps"
    units = {"seconds": "s", "bytes": "bytes", "percent": "percent"}
    return units.get(panel.metric.rpartition("_")[2], "short")


if __name__ == "__main__":
    for path, text in contents().items():
        path.write_text(text)

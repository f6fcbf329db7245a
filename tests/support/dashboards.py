"""Grafana's dashboards of the chart, and the queries of their panels."""

import importlib.util
import json
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from support.documents import REPOSITORY

FILES = sorted((REPOSITORY / "charts/docparser-operator/files/dashboards").glob("*.json"))


@dataclass(frozen=True)
class Query:
    """One query of a panel, by the titles of both."""

    dashboard: str
    panel: str
    expression: str


def generator() -> ModuleType:
    """Return the program that `make generate` writes dashboards with."""
    path = REPOSITORY / "charts/dashboards_generate.py"
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def queries(path: Path) -> list[Query]:
    """Return all queries of a dashboard."""
    body = json.loads(path.read_text())
    return [
        Query(path.stem, panel["title"], target["expr"])
        for panel in body["panels"]
        for target in panel.get("targets", ())
    ]

"""Dashboards are those that are generated, and show all that is exposed."""

import json
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from support.alerts import grouped_by, selectors
from support.dashboards import FILES, generator, queries
from support.exposed_metrics import exposed_metrics, labels_of_metrics, operator_metrics

GENERATED: dict[Path, str] = generator().contents()
OF_SCRAPES = {"namespace", "pod", "deployment", "revision"}
SERIES = labels_of_metrics() | {"process_resident_memory_bytes": set()}

every_file = pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.stem))


def test_dashboards_are_those_that_are_generated() -> None:
    assert {path: path.read_text() for path in FILES} == GENERATED, "run `make generate`"


@every_file
def test_queries_ask_for_series_and_labels_that_exist(path: Path) -> None:
    found = [selector for query in queries(path) for selector in selectors(query.expression)]
    assert found
    for selector in found:
        assert set(selector.matchers) <= SERIES[selector.metric] | OF_SCRAPES


@every_file
def test_queries_group_by_labels_that_exist(path: Path) -> None:
    for query in queries(path):
        known = set.union(OF_SCRAPES, *(SERIES[s.metric] for s in selectors(query.expression)))
        assert grouped_by(query.expression) <= known, query


def test_every_metric_is_on_a_dashboard() -> None:
    shown = {
        selector.metric.removesuffix("_bucket")
        for path in FILES
        for query in queries(path)
        for selector in selectors(query.expression)
    }
    missing = {*exposed_metrics(), *operator_metrics()} - shown
    assert missing == set(), "charts/dashboards.yaml does not show them"


@every_file
def test_panels_neither_overlap_nor_stand_out(path: Path) -> None:
    places: list[dict[str, Any]] = [p["gridPos"] for p in json.loads(path.read_text())["panels"]]
    assert all(place["x"] + place["w"] <= 24 for place in places)
    for one, other in combinations(places, 2):
        beside = one["x"] + one["w"] <= other["x"] or other["x"] + other["w"] <= one["x"]
        below = one["y"] + one["h"] <= other["y"] or other["y"] + other["h"] <= one["y"]
        assert beside or below


@every_file
def test_panels_are_numbered_and_explained(path: Path) -> None:
    panels = json.loads(path.read_text())["panels"]
    assert [panel["id"] for panel in panels] == list(range(1, len(panels) + 1))
    assert all(panel["description"] for panel in panels if panel["type"] != "row")

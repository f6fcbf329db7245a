"""Queries of an analysis against a real Prometheus server that looks at what pods expose."""

import asyncio
from collections.abc import Iterator

import pytest
from docparser_api.analysis import AnalysisSpec
from docparser_api.names import PATH_PARSE
from docparser_api.status import Measurement
from docparser_operator.analysis.fetch import HttpFetch
from docparser_operator.analysis.judge import query_measurements
from docparser_operator.analysis.promql import Server, answer, rendered
from docparser_operator.kinds import Key
from docparser_runtime.metrics import Metrics
from prometheus_client import CollectorRegistry, Gauge, start_http_server
from support import prometheus
from support.eventually import eventually
from support.prometheus import Target

KEY = Key("ns", "demo")
ERRORS = (
    'sum(docparser_requests_total{status=~"5.."} * on(instance) group_left'
    ' trial_revision{revision="{{canary}}",namespace="{{namespace}}",name="{{name}}"})'
    " / sum(docparser_requests_total * on(instance) group_left"
    ' trial_revision{revision="{{canary}}"})'
)


def a_pod(revision: str, good: int, bad: int) -> CollectorRegistry:
    """A runtime's metrics, and the labels that a cluster's Prometheus would give its pod."""
    metrics = Metrics(CollectorRegistry())
    metrics.requests.labels(PATH_PARSE, "200", "ok").inc(good)
    metrics.requests.labels(PATH_PARSE, "500", "engine_failed").inc(bad)
    labels = {"revision": revision, "namespace": KEY.namespace, "name": KEY.name}
    Gauge("trial_revision", "Labels.", tuple(labels), registry=metrics.registry).labels(
        **labels
    ).set(1)
    return metrics.registry


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Prometheus, which looks at a new and a serving pod."""
    folder = tmp_path_factory.mktemp("prometheus")
    registries = (a_pod("new", 80, 20), a_pod("old", 100, 0))
    exporters = [start_http_server(0, "127.0.0.1", registry) for registry in registries]
    targets = [Target(f"127.0.0.1:{exporter.server_port}") for exporter, _thread in exporters]
    try:
        with prometheus.running(folder, targets) as address:
            found = Server(address)
            eventually(lambda: ask(found, "sum(up)"), lambda up: up == 2, 30, "both were seen")
            yield found
    finally:
        for exporter, thread in exporters:
            exporter.shutdown()
            exporter.server_close()
            thread.join()


def ask(server: Server, query: str) -> float | None:
    """The answer to one query."""

    async def asked() -> float | None:
        fetch = HttpFetch()
        try:
            return await answer(fetch, server, query)
        finally:
            await fetch.close()

    return asyncio.run(asked())


def measured(server: Server, canary: str) -> Measurement:
    """The check that at most 5 % of a revision's requests end in an error."""
    query = {"name": "errors", "query": ERRORS, "max": 0.05}
    rules = AnalysisSpec.model_validate({"prometheus": {"queries": [query]}})
    number = ask(server, rendered(ERRORS, canary, "old", KEY))
    (found,) = query_measurements(rules, {"errors": number})
    return found


def test_a_query_judges_the_revision_that_it_names(server: Server) -> None:
    bad = measured(server, "new")
    assert (bad.verdict, bad.canary) == ("Fail", 0.2)
    assert bad.message == "0.2; at most 0.05 pass"
    assert measured(server, "old").verdict == "Pass"
    assert measured(server, "nobody").verdict == "Inconclusive"


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        pytest.param("scalar(vector(3))", 3.0, id="scalar"),
        pytest.param("vector(1) / 0", float("inf"), id="infinite"),
        pytest.param("vector(0) / 0", None, id="not a number"),
        pytest.param("up", None, id="two elements"),
        pytest.param("absent(up)", None, id="no element"),
        pytest.param("up[1m]", None, id="matrix"),
        pytest.param('"text"', None, id="string"),
        pytest.param("sum(up", None, id="malformed"),
        pytest.param("vector(1) + " + "0 + " * 1000 + "0", 1.0, id="long"),
    ],
)
def test_answers_of_all_kinds(server: Server, query: str, expected: float | None) -> None:
    assert ask(server, query) == expected

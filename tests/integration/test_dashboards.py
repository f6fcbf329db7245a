"""Queries of all panels and rules against a real Prometheus, fed by a real operator and service."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from docparser_api.names import ENV_DATA, ENV_MODEL, ENV_PREFIX, PATH_PARSE, PATH_READY, PATH_TASKS
from docparser_runtime.engine.base import DeviceUse, Generation, PageResult
from docparser_runtime.engine.tiers import Tier
from docparser_runtime.metrics import Metrics
from docparser_runtime.queue.values import Backlog
from prometheus_client import CollectorRegistry, start_http_server
from support import alerts, dashboards, prometheus
from support.eventually import eventually
from support.kubectl import Kubectl
from support.operator_process import OperatorProcess, free_port
from support.prometheus import Target
from support.sample_document import prose_pdf

from .conftest import a_parser, wait_serving

NAME = "reader"
# What has data in a cluster only where something happens that does not here.
WITHOUT_DATA = {
    "Need attention": "nothing is degraded",
    "Verdict": "no rollout is analysed",
    "Looks": "no rollout is analysed",
}
QUERIES = [query for path in dashboards.FILES for query in dashboards.queries(path)]


@contextmanager
def a_service(folder: Path) -> Iterator[str]:
    """A real service with the fake engine, which keeps tasks; yield its address."""
    port = free_port()
    own = {ENV_MODEL: json.dumps({"engine": "fake"}), ENV_DATA: str(folder / "data")}
    clean = {name: value for name, value in os.environ.items() if not name.startswith(ENV_PREFIX)}
    command = [sys.executable, "-m", "docparser_runtime", "serve", "--host", "127.0.0.1"]
    with (folder / "service.log").open("wb") as log:
        process = subprocess.Popen(
            [*command, "--port", str(port)], env=clean | own, stdout=log, stderr=log
        )
    try:
        eventually(lambda: is_ready(port), bool, 60, "the service is ready")
        yield f"127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(30)


def is_ready(port: int) -> bool:
    try:
        return httpx.get(f"http://127.0.0.1:{port}{PATH_READY}").status_code == 200
    except httpx.TransportError:
        return False


@contextmanager
def a_pod_with_a_gpu() -> Iterator[str]:
    """The metrics of a service whose engine generates on a GPU, and of which some went wrong."""
    metrics = Metrics(CollectorRegistry())
    metrics.requests.labels(PATH_PARSE, "500", "engine_failed").inc()
    metrics.observe_gate(lambda: 1, lambda: 2)
    metrics.observe_devices(lambda: [DeviceUse("0", 0.5, 50, 60, 70)])
    metrics.describe_build("1", "glm", "glm")
    metrics.pages.add(
        PageResult("text", vision_tokens=9, tier=Tier.LOW, generation=Generation(7, 0.1, 0.01)), 0.5
    )
    metrics.tasks.callbacks.labels("delivered").inc()
    metrics.tasks.show_split({"stable": 1})
    metrics.tasks.show_backlog([Backlog("stable", 1, 2, 3, 4, 5.0)])
    server, thread = start_http_server(0, "127.0.0.1", metrics.registry)
    try:
        yield f"127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture
def server(kubectl: Kubectl, operator: OperatorProcess, tmp_path: Path) -> Iterator[httpx.Client]:
    """Prometheus, which looks at the operator, at one service and at one that has a GPU."""
    kubectl.apply(a_parser(NAME))
    wait_serving(kubectl, NAME)
    kubectl.apply(a_parser("unready"))
    with ExitStack() as stack:
        service = stack.enter_context(a_service(tmp_path))
        gpu = stack.enter_context(a_pod_with_a_gpu())
        owner = {"namespace": kubectl.namespace, "deployment": NAME}
        targets = [
            Target(service, {**owner, "pod": f"{NAME}-1", "revision": "old"}),
            Target(gpu, {**owner, "pod": f"{NAME}-2", "revision": "new"}),
            Target(
                f"127.0.0.1:{operator.port}",
                {"namespace": "system", "pod": "operator"},
                keeps_labels=True,
            ),
        ]
        send_documents(f"http://{service}")
        address = stack.enter_context(prometheus.running(tmp_path, targets, alerts.RULES))
        yield stack.enter_context(httpx.Client(base_url=f"{address}/api/v1/", timeout=30))


def send_documents(url: str) -> None:
    """Let the service read a document at once and another one as a task."""
    with httpx.Client(base_url=url, timeout=30) as client:
        files = {"file": ("a.pdf", prose_pdf(2))}
        assert client.post(PATH_PARSE, files=files).status_code == 200
        task = client.post(PATH_TASKS, files=files).json()["id"]
        look = f"{PATH_TASKS}/{task}"
        eventually(
            lambda: client.get(look).json(), lambda t: t["status"] == "done", 30, "the task is done"
        )


def answered(server: httpx.Client, path: str, **parameters: str) -> Any:
    """What Prometheus' API answers; an error of its own is one here."""
    found = server.get(path, params=parameters).json()
    assert found["status"] == "success", found
    assert found.get("warnings", []) == []
    return found["data"]


def without_data(server: httpx.Client, namespace: str) -> list[str]:
    """The panels of which a query finds nothing, as Grafana would ask for one deployment."""
    values = {"$namespace": namespace, "$deployment": NAME, "$__rate_interval": "1m"}
    missing = set()
    for query in QUERIES:
        expression = query.expression
        for name, value in values.items():
            expression = expression.replace(name, value)
        if not answered(server, "query", query=expression)["result"]:
            missing.add(query.panel)
    return sorted(missing)


def test_every_panel_has_data_and_every_rule_can_be_evaluated(
    server: httpx.Client, kubectl: Kubectl
) -> None:
    assert len(QUERIES) > 80
    found = eventually(
        lambda: without_data(server, kubectl.namespace),
        lambda missing: set(missing) <= set(WITHOUT_DATA),
        30,
        "all panels have data",
    )
    assert found == sorted(WITHOUT_DATA)
    eventually(
        lambda: {rule["health"] for rule in all_rules(server)},
        lambda health: health == {"ok"},
        20,
        "all rules were evaluated",
    )
    assert len(all_rules(server)) == len(alerts.rules("alert")) + len(alerts.rules("record"))


def all_rules(server: httpx.Client) -> list[dict[str, Any]]:
    return [rule for group in answered(server, "rules")["groups"] for rule in group["rules"]]

"""On a real API server, with its ReplicaSet controller, the idlest pod goes."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler

import pytest
from docparser_api.names import PORT
from support.eventually import eventually
from support.exposed_load import exposed
from support.kubectl import Kubectl
from support.operator_process import OperatorProcess
from support.threaded_server import serving

from .conftest import a_parser, serving_pods, wait_serving

PODS = 5
RULES = {"mode": "HPA", "maxReplicas": PODS, "pagesPerMinute": 60}


@dataclass
class Told:
    """What the pod of one address tells, and how often it was asked since."""

    address: str
    text: str = ""
    asked: int = 0


@pytest.fixture
def told() -> Iterator[list[Told]]:
    with ExitStack() as servers:
        found = [Told(f"127.0.0.{80 + number}") for number in range(PODS)]
        for one in found:
            servers.enter_context(serving(one.address, PORT, _handler(one)))
        yield found


def _handler(told: Told) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            told.asked += 1
            body = told.text.encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    return Handler


def test_pods_go_in_the_order_of_their_work(
    kubectl: Kubectl, operator: OperatorProcess, told: list[Told]
) -> None:
    kubectl.apply(a_parser("reader", replicas=PODS, autoscaling=RULES))
    wait_serving(kubectl, "reader")
    names = sorted(pod["metadata"]["name"] for pod in serving_pods(kubectl))
    for number, (name, one) in enumerate(zip(names, told, strict=True)):
        # Neither the first nor the last by name or age is the idlest.
        one.text = exposed(pages=10, running=(number * 3 + 2) % PODS)
        one.asked = 0
        status = {"status": {"podIP": one.address, "podIPs": [{"ip": one.address}]}}
        patch = ("--subresource=status", "--type=merge", "-p", json.dumps(status))
        kubectl.run("patch", "pod", name, *patch)
    eventually(lambda: [one.asked for one in told], lambda n: min(n) > 1, 40, "all were asked")
    work = {name: (number * 3 + 2) % PODS for number, name in enumerate(names)}
    for size in range(PODS - 1, 0, -1):
        kubectl.run("scale", "dpd", "reader", f"--replicas={size}")
        left = sorted(work, key=lambda name: -work[name])[:size]
        eventually(lambda: living(kubectl), lambda now: len(now) == size, 20, f"{size} are left")  # noqa: B023
        assert living(kubectl) == set(left)


def living(kubectl: Kubectl) -> set[str]:
    """The names of the pods that do not shut down."""
    return {
        pod["metadata"]["name"]
        for pod in serving_pods(kubectl)
        if "deletionTimestamp" not in pod["metadata"]
    }

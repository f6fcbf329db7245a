"""An autoscaler on a real API server, with a pod that tells its load over HTTP."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler

import pytest
from docparser_api.names import PORT
from support.eventually import always, eventually
from support.exposed_load import exposed
from support.kubectl import Kubectl, KubectlError, Manifest
from support.operator_process import OperatorProcess
from support.threaded_server import serving

from .conftest import a_parser, condition, make_pods_ready, serving_pods, wait_serving

ADDRESS = "127.0.0.77"
RULES = {
    "minReplicas": 1,
    "maxReplicas": 3,
    "pagesPerMinute": 60,
    "scaleDown": {"stabilizationSeconds": 1},
}


@dataclass
class Pod:
    """What the pod at ADDRESS tells."""

    text: str = exposed(pages=1)


@pytest.fixture
def pod() -> Iterator[Pod]:
    told = Pod()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = told.text.encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with serving(ADDRESS, PORT, Handler):
        yield told


def scaling(kubectl: Kubectl) -> Manifest:
    found = kubectl.get("dpd", "reader")
    assert found is not None
    return dict(found["status"].get("autoscaling", {}))


def sizes(kubectl: Kubectl) -> list[int]:
    return [deployment["spec"]["replicas"] for deployment in kubectl.list("deployments")]


def test_pods_follow_what_they_tell_and_spec_stays_as_it_is(
    kubectl: Kubectl, operator: OperatorProcess, pod: Pod
) -> None:
    kubectl.apply(a_parser("reader", replicas=2, autoscaling=RULES))
    wait_serving(kubectl, "reader")
    assert condition(kubectl, "reader", "ScalingActive")["reason"] == "MetricsMissing"
    name = serving_pods(kubectl)[0]["metadata"]["name"]
    status = {"status": {"podIP": ADDRESS, "podIPs": [{"ip": ADDRESS}]}}
    patch = ("--subresource=status", "--type=merge", "-p", json.dumps(status))
    kubectl.run("patch", "pod", name, *patch)

    pod.text = exposed(pages=1, queued_pages=500)
    eventually(lambda: scaling(kubectl), lambda now: now["desiredReplicas"] == 3, 20, "it grows")
    eventually(lambda: sizes(kubectl), lambda now: now == [3], 10, "so does the Deployment")
    assert scaling(kubectl)["reason"] == "AtMaximum"
    assert scaling(kubectl)["inputs"]["queuedPages"] == 500
    active = condition(kubectl, "reader", "ScalingActive")
    assert (active["status"], active["reason"]) == ("True", "AtMaximum")
    found = kubectl.get("dpd", "reader")
    assert found is not None
    assert found["spec"]["replicas"] == 2
    make_pods_ready(kubectl)

    pod.text = exposed(pages=1)
    eventually(lambda: scaling(kubectl), lambda now: now["desiredReplicas"] == 1, 30, "it shrinks")
    eventually(lambda: sizes(kubectl), lambda now: now == [1], 10, "so does the Deployment")


def test_a_load_that_changes_nothing_is_not_written(
    kubectl: Kubectl, operator: OperatorProcess, pod: Pod
) -> None:
    kubectl.apply(a_parser("reader", replicas=1, autoscaling=RULES))
    wait_serving(kubectl, "reader")
    name = serving_pods(kubectl)[0]["metadata"]["name"]
    status = {"status": {"podIP": ADDRESS, "podIPs": [{"ip": ADDRESS}]}}
    patch = ("--subresource=status", "--type=merge", "-p", json.dumps(status))
    kubectl.run("patch", "pod", name, *patch)
    eventually(
        lambda: condition(kubectl, "reader", "ScalingActive"),
        lambda now: now["status"] == "True",
        20,
        "the demand is known",
    )
    before = kubectl.get("dpd", "reader")
    numbers = iter(range(2, 10_000))

    def later() -> Manifest | None:
        pod.text = exposed(pages=next(numbers), running=1)
        return kubectl.get("dpd", "reader")

    always(later, lambda now: now == before, 15, "at rest")


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        ({"minReplicas": 0, "maxReplicas": 2}, "minReplicas must be at least 1"),
        ({"minReplicas": 3, "maxReplicas": 2}, "maxReplicas must be at least"),
        ({"maxReplicas": 2, "schedules": [{"name": "a", "start": "noon", "durationSeconds": 60}]},
         "start"),
    ],
)  # fmt: skip
def test_rules_that_cannot_hold_are_refused(
    rules: dict[str, object], words: str, kubectl: Kubectl
) -> None:
    with pytest.raises(KubectlError, match=words):
        kubectl.apply(a_parser("reader", autoscaling=rules))

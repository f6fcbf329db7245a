"""A HorizontalPodAutoscaler and a ScaledObject follow each other under the installed operator."""

import json

from support.e2e import Deployment
from support.eventually import eventually
from support.keda import install_scaled_objects
from support.kubectl import Kubectl
from support.leader import kill_leader

from .conftest import fake_spec

RULES = {
    "minReplicas": 1,
    "maxReplicas": 4,
    "pagesPerMinute": 60,
    "keda": {"prometheusAddress": "http://prometheus.monitoring:9090"},
}


def test_each_mode_leaves_nothing_behind_and_takes_no_pod(
    cluster: Kubectl, kubectl: Kubectl
) -> None:
    install_scaled_objects(cluster)
    kill_leader(cluster)  # the next one knows of KEDA from its beginning
    fake = Deployment(kubectl, "fake")
    fake.apply(fake_spec(autoscaling={**RULES, "mode": "KEDA"}))
    fake.wait_ready()
    pods = {pod["metadata"]["uid"] for pod in fake.pods()}
    eventually(lambda: kubectl.get("scaledobject", "fake"), bool, 60, "KEDA has its object")

    fake.patch({"autoscaling": {"mode": "HPA"}})
    eventually(lambda: kubectl.get("hpa", "fake"), bool, 60, "the next one has its")
    assert kubectl.get("scaledobject", "fake") is None
    patch = json.dumps({"spec": {"maxReplicas": 99}})
    kubectl.run("patch", "hpa", "fake", "--type=merge", "-p", patch)
    eventually(lambda: most(kubectl), lambda now: now == 4, 20, "an edit is undone")

    fake.patch({"autoscaling": {"mode": "None"}})
    eventually(lambda: kubectl.get("hpa", "fake"), lambda now: now is None, 60, "nothing is left")
    assert {pod["metadata"]["uid"] for pod in fake.pods()} == pods


def most(kubectl: Kubectl) -> int:
    """The most pods that the HorizontalPodAutoscaler may ask for."""
    found = kubectl.get("hpa", "fake")
    assert found is not None
    return int(found["spec"]["maxReplicas"])

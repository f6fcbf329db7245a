"""A HorizontalPodAutoscaler and a ScaledObject follow each other under the installed operator."""

import json
from concurrent.futures import ThreadPoolExecutor

from support.e2e import Client, Deployment
from support.eventually import always, eventually
from support.keda import install_scaled_objects
from support.kubectl import Kubectl, KubectlError
from support.leader import kill_leader
from support.sample_document import sample_pdf

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


def test_a_pod_with_nothing_to_do_goes_before_one_that_reads(
    kubectl: Kubectl, client: Client
) -> None:
    fake = Deployment(kubectl, "fake")
    limits = {"lameDuckSeconds": 1, "queueTimeoutSeconds": 10, "requestTimeoutSeconds": 90}
    slow = {**limits, "fake": {"pageMilliseconds": 20_000}}
    fake.apply(fake_spec(runtime=slow, autoscaling={**RULES, "mode": "HPA"}))
    fake.wait_ready()
    # The node's own view of the Service may be behind.
    eventually(lambda: answers(fake, client), bool, 60, "the Service leads to the pods")
    with ThreadPoolExecutor(1) as executor:
        answer = executor.submit(client.post, fake.url("/v1/document/parse"), sample_pdf())
        reads = eventually(lambda: reading(fake, client), bool, 60, "one of them reads")
        # The operator looks at the pods every 5 seconds.
        always(lambda: reading(fake, client), lambda now: now == reads, 8, "it reads on")
        kubectl.run("scale", "dpd", "fake", "--replicas=1")
        eventually(lambda: living(fake), lambda now: len(now) == 1, 60, "one is left")
        assert living(fake) == reads
        assert len(answer.result()["pages"]) == 3


def answers(fake: Deployment, client: Client) -> bool:
    """Whether the Service leads to a pod that is ready."""
    try:
        return "ok" in client.get(fake.url("/readyz"))
    except KubectlError:
        return False


def reading(fake: Deployment, client: Client) -> list[str]:
    """The names of the pods that read a document."""
    found = []
    for pod in fake.pods():
        told = client.get(f"http://{pod['status']['podIP']}:8080/metrics")
        if "docparser_requests_running 1.0" in told:
            found.append(pod["metadata"]["name"])
    return found


def living(fake: Deployment) -> list[str]:
    """The names of the pods that do not shut down."""
    pods = (pod["metadata"] for pod in fake.pods())
    return [pod["name"] for pod in pods if "deletionTimestamp" not in pod]


def most(kubectl: Kubectl) -> int:
    """The most pods that the HorizontalPodAutoscaler may ask for."""
    found = kubectl.get("hpa", "fake")
    assert found is not None
    return int(found["spec"]["maxReplicas"])

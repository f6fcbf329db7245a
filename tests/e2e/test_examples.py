import json

import pytest
from support.e2e import Client, Deployment
from support.eventually import eventually
from support.kubectl import Kubectl, Manifest
from support.sample_document import SAMPLE_PAGES, character_error_rate, sample_pdf

CHILDREN = (
    "deployments,replicasets,services,poddisruptionbudgets,controllerrevisions,pods,hpa,"
    "networkpolicies"
)
TOKEN = "a-token-for-the-test"


@pytest.mark.parametrize(
    "name",
    [
        "01-minimal.yaml",
        "02-production-cpu.yaml",
        "03-gpu-in-place.yaml",
        "04-canary.yaml",
        "05-autoscaling.yaml",
        "06-hpa.yaml",
    ],
)
def test_example_becomes_ready_reads_and_leaves_nothing(
    name: str, examples: dict[str, Manifest], kubectl: Kubectl, client: Client, fake_gpus: int
) -> None:
    example = examples[name]
    kubectl.run("create", "secret", "generic", "invoices-token", f"--from-literal=token={TOKEN}")
    kubectl.apply(example)
    deployment = Deployment(kubectl, example["metadata"]["name"])
    deployment.wait_ready(180)

    token = TOKEN if "auth" in example["spec"] else ""
    answer = client.post(deployment.url("/v1/document/parse"), sample_pdf(), token)

    assert [page["index"] for page in answer["pages"]] == [0, 1, 2]
    if example["spec"].get("model", {}).get("engine", "rapidocr") == "rapidocr":
        rate = character_error_rate("\n\n".join(SAMPLE_PAGES), answer["content"])
        assert rate <= 0.01, answer["content"]
    assert_configuration(example, deployment, client, token)

    kubectl.run("delete", "dpd", deployment.name)
    selector = f"docparser.dev/deployment={deployment.name}"
    eventually(lambda: kubectl.list(CHILDREN, selector), lambda left: not left, 90, "all gone")


def assert_configuration(
    example: Manifest, deployment: Deployment, client: Client, token: str
) -> None:
    """What the pod says of its configuration equals the YAML."""
    if token:
        return  # /config needs the token too; the other examples show the equality
    effective = json.loads(client.get(deployment.url("/config")))
    for field, value in example["spec"].get("runtime", {}).items():
        assert effective["runtime"][field] == value
    for field, value in example["spec"].get("model", {}).items():
        assert effective["model"][field] == value


def test_all_examples_are_tested(examples: dict[str, Manifest]) -> None:
    marks = test_example_becomes_ready_reads_and_leaves_nothing.pytestmark  # type: ignore[attr-defined]
    assert sorted(examples) == sorted(marks[0].args[1])

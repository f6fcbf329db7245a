import json
import time
from collections.abc import Iterator

import pytest
from localcluster import paths
from support.e2e import Client, Deployment
from support.eventually import eventually
from support.kubectl import Kubectl, Manifest

from .conftest import a_namespace, fake_spec, state
from .rollouts import PARSE, watched
from .traffic import PNG
from .weights import WeightsServer, shared_claim, weights_server

TEXTS = {"may": "These weights are of May.", "june": "These weights are of June."}
SECONDS = 60
"""Time within which the file must stand in the condition."""
CODES = {
    "wrong-byte": "WeightsDigestMismatch",
    "short": "WeightsFileShort",
    "missing": "WeightsFileMissing",
    "forbidden": "WeightsAccessDenied",
}


@pytest.fixture(scope="module")
def namespace(cluster: Kubectl) -> Iterator[Kubectl]:
    """A namespace for all tests of this file."""
    with a_namespace(cluster) as kubectl:
        yield kubectl


@pytest.fixture(scope="module")
def sender(namespace: Kubectl) -> Client:
    """A pod that sends requests."""
    return Client.start(namespace)


@pytest.fixture(scope="module")
def server(namespace: Kubectl) -> Iterator[WeightsServer]:
    """A server that has the weights of May and June."""
    with weights_server(namespace, TEXTS) as found:
        yield found


@pytest.fixture(scope="module")
def claim(namespace: Kubectl) -> Iterator[str]:
    """The name of a claim that pods can share."""
    if not paths.state().audit_log.exists():
        pytest.skip("only on the local cluster is a directory of the node at hand")
    with shared_claim(namespace) as name:
        yield name


@pytest.fixture(scope="module")
def serving(namespace: Kubectl, server: WeightsServer, claim: str) -> Deployment:
    """A deployment with one pod that serves with the weights of May."""
    deployment = Deployment(namespace, "fake")
    deployment.apply(spec_of(server.weights("may", claim=claim)))
    deployment.wait_ready()
    return deployment


@pytest.fixture(autouse=True)
def told(namespace: Kubectl, request: pytest.FixtureRequest) -> Iterator[None]:
    """What a reader needs to understand a failure."""
    yield
    if getattr(request.node, "failed", False):
        print(state(namespace))


def spec_of(weights: Manifest) -> Manifest:
    """The spec of one pod with these weights."""
    model = {"engine": "fake", "weights": weights}
    return fake_spec(replicas=1, model=model, rollout={"rollbackCheck": {"enabled": False}})


def text(deployment: Deployment, client: Client) -> str:
    """What is answered to a page."""
    body = json.dumps({"image_base64": PNG}).encode()
    answer = client.post(deployment.url(PARSE), body, content_type="application/json")
    return str(answer.get("content", answer))


def test_weights_are_fetched_once_verified_and_loaded(
    serving: Deployment, server: WeightsServer, sender: Client
) -> None:
    verified = serving.wait_condition("WeightsVerified", "True", "Verified")
    assert "may" in verified["message"]
    assert text(serving, sender) == TEXTS["may"]

    serving.kubectl.run("scale", "dpd/fake", "--replicas=2")
    eventually(serving.status, lambda s: s.get("availableReplicas") == 2, 60, "two pods")
    sent = json.loads(server.sent(sender))
    assert sent["/good/may/fake.md"] == len(TEXTS["may"]), "the second pod fetched it again"
    serving.kubectl.run("scale", "dpd/fake", "--replicas=1")


@pytest.mark.parametrize("kind", CODES)
def test_spoilt_weights_are_named_and_never_serve(
    kind: str, serving: Deployment, server: WeightsServer, claim: str, sender: Client
) -> None:
    first = serving.status()["currentRevision"]
    with watched(serving) as seen:
        started = time.monotonic()
        serving.apply(spec_of(server.weights("june", kind, claim)))
        found = serving.wait_condition("WeightsVerified", "False", "WeightsInvalid", SECONDS)
        print(f"{kind}: {time.monotonic() - started:.1f} s: {found['message']}")
        assert "fake.md" in found["message"]
        assert CODES[kind] in found["message"]
        assert text(serving, sender) == TEXTS["may"]
        assert serving.condition("Ready")["status"] == "True"
        assert serving.status()["currentRevision"] == first
        assert seen.least_available(first) >= 1
        new = [s for s in seen.workloads.states() if not s.name.endswith(first)]
        assert new, "no Deployment of the new revision was seen"
        assert all(s.object["status"].get("readyReplicas", 0) == 0 for s in new)


def test_other_weights_replace_the_first(
    serving: Deployment, server: WeightsServer, claim: str, sender: Client
) -> None:
    serving.apply(spec_of(server.weights("june", claim=claim)))
    serving.wait_ready()
    serving.wait_condition("WeightsVerified", "True", "Verified")
    assert text(serving, sender) == TEXTS["june"]

import json
import subprocess
from collections.abc import Iterator
from functools import partial

import pytest
from localcluster import paths
from support.e2e import IMAGE, Client, Deployment
from support.eventually import eventually
from support.kubectl import Kubectl, KubectlError, Manifest

from .conftest import fake_spec
from .rollouts import PARSE
from .traffic import PNG
from .weights import WeightsServer, weights_server

OTHER_IMAGE = "docparser.dev/runtime:other"
TEXTS = {"may": "These weights are of May.", "june": "These weights are of June."}


@pytest.fixture
def other_image() -> Iterator[str]:
    """The runtime's image under another name."""
    socket = paths.state().containerd_socket
    if not socket.exists():
        pytest.skip("images are named anew on the local cluster only")
    images = ["ctr", f"--address={socket}", "--namespace=k8s.io", "images"]
    subprocess.run([*images, "tag", "--force", IMAGE, OTHER_IMAGE], check=True, capture_output=True)
    yield OTHER_IMAGE
    subprocess.run([*images, "remove", OTHER_IMAGE], check=True, capture_output=True)


def specs(server: WeightsServer, other: str) -> list[Manifest]:
    """Four specs, each with something else in its pods."""
    return [
        a_spec("one", server.weights("may"), IMAGE, {"maxPages": 11}),
        a_spec("two", server.weights("june"), IMAGE, {"maxPages": 11}),
        a_spec("three", server.weights("june"), other, {"maxPages": 11}),
        a_spec("four", server.weights("june"), other, {"maxPages": 12}),
    ]


def a_spec(value: str, weights: Manifest, image: str, runtime: Manifest) -> Manifest:
    spec = fake_spec(replicas=1, image=image, model={"engine": "fake", "weights": weights})
    env = [{"name": "SEASON", "value": value}]
    rollout = {"rollbackCheck": {"enabled": False}}
    return {**spec, "env": env, "runtime": {**spec["runtime"], **runtime}, "rollout": rollout}


def facts(deployment: Deployment, client: Client) -> Manifest:
    """What runs, as the pod, its configuration and its answer tell."""
    alive = [p for p in deployment.pods() if "deletionTimestamp" not in p["metadata"]]
    serving = deployment.status()["currentRevision"]
    (pod,) = [p for p in alive if p["metadata"]["labels"].get(REVISION) == serving]
    (container,) = pod["spec"]["containers"]
    page = json.dumps({"image_base64": PNG}).encode()
    answer = client.post(deployment.url(PARSE), page, content_type="application/json")
    return {
        "env": {one["name"]: one["value"] for one in container["env"]},
        "image": container["image"],
        "weights": pod["spec"]["initContainers"][0]["env"],
        "config": json.loads(client.get(deployment.url("/config"))),
        "text": answer["content"],
    }


REVISION = "docparser.dev/revision"


def test_rollback_by_resource_version_restores_env_image_weights_and_config(
    kubectl: Kubectl, client: Client, other_image: str
) -> None:
    deployment = Deployment(kubectl, "fake")
    versions, seen = [], []
    with weights_server(kubectl, TEXTS) as server:
        for number, spec in enumerate(specs(server, other_image), 1):
            deployment.apply(spec)
            serves(deployment, number)
            found = kubectl.get("dpd", "fake")
            assert found is not None
            versions.append(found["metadata"]["resourceVersion"])
            text = TEXTS["may" if number == 1 else "june"]
            seen.append(reached(deployment, client, text, spec["runtime"]["maxPages"]))
        assert [one["env"]["SEASON"] for one in seen] == ["one", "two", "three", "four"]
        assert seen[0]["text"] == TEXTS["may"] != seen[1]["text"]

        for back in (0, 2):
            deployment.annotate("rollback-to", f"resourceVersion:{versions[back]}")
            serves(deployment, back + 1)
            wait_for(deployment, client, seen[back])
        deployment.annotate("rollback-to", None)
        serves(deployment, 4)
        wait_for(deployment, client, seen[3])


def facts_if_any(deployment: Deployment, client: Client) -> Manifest:
    """Return the facts, empty ones while the Service leads nowhere yet."""
    try:
        return facts(deployment, client)
    except (KubectlError, AssertionError) as error:
        return {"text": "", "config": {"runtime": {"maxPages": 0}}, "error": str(error)[-300:]}


def reached(deployment: Deployment, client: Client, text: str, pages: int) -> Manifest:
    """Return the facts once requests reach the pods that answer so."""

    def holds(found: Manifest) -> bool:
        return (found["text"], found["config"]["runtime"]["maxPages"]) == (text, pages)

    what = f"an answer with {text!r} and {pages} pages"
    return eventually(lambda: facts_if_any(deployment, client), holds, 30, what)


def wait_for(deployment: Deployment, client: Client, wanted: Manifest) -> None:
    """Wait until everything is as it was; a node learns a moment late where the Service leads."""
    look = partial(facts_if_any, deployment, client)
    eventually(look, lambda found: found == wanted, 30, f"again: {wanted}")


def serves(deployment: Deployment, number: int) -> None:
    """Wait until the revision with this number serves."""
    eventually(
        deployment.status,
        lambda s: s.get("currentRevisionNumber") == number,
        90,
        f"revision {number} serves",
    )

"""A move into a queue under a real kubelet: until its gateways are ready, the old pods serve."""

import pytest
from support.e2e import Client, Deployment
from support.eventually import eventually
from support.kubectl import Kubectl, KubectlError
from support.sample_document import sample_pdf

NOT_THERE = {
    "databaseUrlSecretRef": {"name": "no-such-database", "key": "url"},
    "objectStore": {"url": "s3://documents/reader"},
}
MADE = (("configmap", "fake-split"), ("deployment", "fake-gateway"), ("pdb", "fake-gateway"))


def test_a_queue_that_is_not_there_harms_nobody_and_leaves_nothing(
    fake: Deployment, client: Client, kubectl: Kubectl
) -> None:
    fake.patch({"revisionHistoryLimit": 0})
    served = fake.status()["currentRevision"]
    fake.patch({"topology": "Queue", "queue": NOT_THERE})
    found = fake.wait_condition("Degraded", "True", "ContainerConfigInvalid")
    assert "no-such-database" in found["message"]
    for kind, name in MADE:
        assert kubectl.get(kind, name) is not None
    assert "pages" in client.post(fake.url("/v1/document/parse"), sample_pdf())
    assert fake.status()["currentRevision"] == served

    with pytest.raises(KubectlError, match="keep queue when you leave topology Queue"):
        fake.patch({"topology": None, "queue": None})
    fake.patch({"topology": "Direct"})
    fake.patch({"queue": None})
    fake.wait_ready()
    assert fake.status()["currentRevision"] == served
    for kind, name in MADE:
        eventually(
            lambda kind=kind, name=name: kubectl.get(kind, name),  # type: ignore[misc]
            lambda left: left is None,
            30,
            f"{kind} {name} is gone",
        )

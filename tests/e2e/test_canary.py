import time

from support.e2e import Client, Deployment
from support.eventually import eventually
from support.kubectl import Kubectl

from .rollouts import PARSE, canary, canary_spec, watched


def test_no_request_fails_through_canary_abort_retry_rollback_and_blue_green(
    kubectl: Kubectl, client: Client
) -> None:
    fake = Deployment(kubectl, "fake")
    fake.apply(canary_spec())
    fake.wait_ready()
    traffic = client.traffic(fake.url(PARSE), seconds=280)
    eventually(traffic.running, bool)
    started = time.monotonic()

    def told(what: str) -> None:
        assert traffic.running(), "the traffic ended too early"
        print(f"{what}: {time.monotonic() - started:.1f} s after the start")

    try:
        a_good_canary_is_promoted(fake)
        told("canary at 100 %")
        an_abort_leaves_the_second_revision(fake)
        told("next canary aborted")
        a_retry_brings_the_third_revision(fake)
        told("retried canary at 100 %")
        a_rollback_brings_the_first_revision(fake)
        told("rolled back, and forward again")
        blue_green_waits_until_it_is_promoted(fake)
        told("blue/green promoted")
    finally:
        counts = traffic.ended()
        print(counts)
    assert counts["failures"] == 0, counts
    assert set(counts["models"]) == {"one", "two", "three", "four"}


def a_good_canary_is_promoted(fake: Deployment) -> None:
    with watched(fake) as seen:
        first = fake.status()["currentRevision"]
        fake.patch({"model": {"name": "two"}})
        fake.wait_ready()
        second = fake.status()["currentRevision"]
        weights = seen.weights(second)
    assert second != first
    assert weights[-1] == 100
    assert 33 in weights, weights
    assert 50 in weights, weights
    assert weights == sorted(weights), weights
    assert fake.status()["rollout"]["analysis"]["verdict"] == "Pass"


def an_abort_leaves_the_second_revision(fake: Deployment) -> None:
    second = fake.status()["currentRevision"]
    with watched(fake) as seen:
        fake.patch({"model": {"name": "three"}})
        eventually(
            lambda: fake.status()["rollout"],
            lambda rollout: rollout["revision"] != second and rollout["weight"] >= 33,
            60,
            "the canary serves",
        )
        number = fake.status()["updateRevisionNumber"]
        fake.annotate("abort", str(number))
        fake.wait_condition("Progressing", "False", "RolloutFailed")
        eventually(fake.status, lambda s: s["rollout"]["weight"] == 0, 30, "weight 0")
        assert seen.least_available(second) >= 2
    third = fake.status()["rollout"]["revision"]
    eventually(lambda: pods_of(fake, third), lambda pods: pods == 0, 60, "no pod of the canary")
    assert "Aborted" in fake.status()["rollout"]["failure"]
    assert fake.status()["currentRevision"] == second


def a_retry_brings_the_third_revision(fake: Deployment) -> None:
    fake.annotate("abort", None)
    fake.annotate("retry", "again")
    fake.wait_ready()
    assert fake.status()["currentRevision"] == fake.status()["updateRevision"]


def a_rollback_brings_the_first_revision(fake: Deployment) -> None:
    third = fake.status()["currentRevision"]
    fake.annotate("rollback-to", "1")
    fake.wait_condition("RolledBack", "True")
    eventually(fake.status, lambda s: s["currentRevisionNumber"] == 1, 60, "the first serves")
    assert fake.status()["updateRevision"] == third
    fake.annotate("rollback-to", None)
    eventually(fake.status, lambda s: s["currentRevision"] == third, 60, "the third serves")
    fake.wait_condition("RolledBack", "False")


def blue_green_waits_until_it_is_promoted(fake: Deployment) -> None:
    third = fake.status()["currentRevision"]
    rollout = {**canary(), "strategy": "BlueGreen", "steps": [{"pause": {}}]}
    fake.patch({"rollout": rollout, "model": {"name": "four"}})
    fake.wait_condition("Progressing", "True", "Paused")
    status = fake.status()
    assert (status["currentRevision"], status["rollout"]["weight"]) == (third, 0)
    fake.annotate("promote", f"{status['updateRevisionNumber']}/0")
    fake.wait_ready()
    assert fake.status()["currentRevision"] == status["updateRevision"]


def pods_of(fake: Deployment, revision: str) -> int:
    """How many pods of `revision` there are, those that shut down included."""
    labels = (pod["metadata"]["labels"] for pod in fake.pods())
    return sum(label.get("docparser.dev/revision") == revision for label in labels)

import time

from support.e2e import Client, Deployment
from support.eventually import eventually
from support.kubectl import Kubectl, Manifest
from support.leader import kill_leader

from .rollouts import PARSE, Watched, canary, canary_spec, watched

BY_HAND: list[Manifest] = [{"setWeight": 50}, {"pause": {}}]


def test_a_killed_operator_changes_no_end_of_promotion_abort_and_rollback(
    cluster: Kubectl, kubectl: Kubectl, client: Client
) -> None:
    fake = Deployment(kubectl, "fake")
    fake.apply(canary_spec(rollout=canary(BY_HAND)))
    fake.wait_ready()
    first = fake.status()["currentRevision"]
    traffic = client.traffic(fake.url(PARSE), seconds=200)
    eventually(traffic.running, bool)
    with watched(fake) as seen:
        second = paused_canary(fake, "two")
        fake.annotate("promote", "2/1")
        kill_leader(cluster)
        serves(fake, second)
        told(seen, "promoted")

        began = time.time()
        third = paused_canary(fake, "three")
        fake.annotate("abort", "3")
        kill_leader(cluster)
        fake.wait_condition("Progressing", "False", "RolloutFailed")
        assert fake.status()["rollout"]["weight"] == 0
        assert fake.status()["currentRevision"] == second
        eventually(lambda: pods_of(fake, third), lambda pods: not pods, 60, "no canary")
        assert seen.least_available(second, began) >= 2, "a stable pod was lost"
        told(seen, "aborted")

        fake.annotate("rollback-to", "1")
        kill_leader(cluster)
        serves(fake, first)
        fake.wait_condition("RolledBack", "True")
        told(seen, "rolled back")
    counts = traffic.ended()
    print(counts)
    assert counts["failures"] == 0, counts
    assert len(kubectl.list("controllerrevisions")) == 3


def paused_canary(fake: Deployment, name: str) -> str:
    """Bring a canary to its pause and return its revision."""
    fake.patch({"model": {"name": name}})
    fake.wait_condition("Progressing", "True", "Paused")
    return str(fake.status()["rollout"]["revision"])


def serves(fake: Deployment, revision: str) -> None:
    """Wait until this revision serves and nothing else is left."""
    eventually(
        fake.status,
        lambda s: s["currentRevision"] == revision and "completedAt" in s["rollout"],
        90,
        f"{revision} serves",
    )


def pods_of(fake: Deployment, revision: str) -> list[str]:
    """The names of the pods of `revision`, those that shut down included."""
    kind = "docparser.dev/revision"
    return [p["metadata"]["name"] for p in fake.pods() if p["metadata"]["labels"][kind] == revision]


def told(seen: Watched, what: str) -> None:
    """Print how many pods it took."""
    print(what, {state.name for state in seen.pods.states()})

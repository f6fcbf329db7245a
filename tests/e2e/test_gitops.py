import contextlib
import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field

from support.e2e import Deployment
from support.eventually import eventually
from support.kubectl import Kubectl, KubectlError, Manifest

from .rollouts import canary, canary_spec, watched

BY_HAND: list[Manifest] = [{"setWeight": 50}, {"pause": {}}]


@dataclass
class GitOps:
    """Plays self-heal: applies what stands in Git every second, whatever the cluster says.

    Attributes:
        spec: what stands in Git. It has no replicas: an autoscaler sets them.
        applied: how often it was applied.
        failures: what kubectl said when it was not.
    """

    kubectl: Kubectl
    spec: Manifest
    applied: int = 0
    failures: list[str] = field(default_factory=list)
    stop: threading.Event = field(default_factory=threading.Event)

    def apply(self) -> None:
        """Apply it once, as Argo CD does."""
        what = {"apiVersion": "docparser.dev/v1alpha1", "kind": "DocParserDeployment"}
        manifest = {**what, "metadata": {"name": "fake"}, "spec": self.spec}
        words = ("--server-side", "--field-manager=argocd", "--force-conflicts")
        self.kubectl.run("apply", *words, "-f", "-", stdin=json.dumps(manifest))
        self.applied += 1

    def run(self) -> None:
        """Apply it until told to stop."""
        while not self.stop.wait(1.0):
            try:
                self.apply()
            except KubectlError as error:
                self.failures.append(str(error))


@contextlib.contextmanager
def self_heal(gitops: GitOps) -> Iterator[None]:
    """Apply what stands in Git for the time of the block."""
    thread = threading.Thread(target=gitops.run)
    thread.start()
    try:
        yield
    finally:
        gitops.stop.set()
        thread.join()


def test_self_heal_makes_nothing_flap(kubectl: Kubectl) -> None:
    spec = canary_spec(rollout=canary(BY_HAND))
    del spec["replicas"]
    fake, gitops = Deployment(kubectl, "fake"), GitOps(kubectl, spec)
    gitops.apply()
    fake.wait_ready()
    first = fake.status()["currentRevision"]
    with watched(fake) as seen, self_heal(gitops):
        kubectl.run("scale", "dpd/fake", "--replicas=2")
        eventually(fake.status, lambda s: s["availableReplicas"] == 2, 60, "two pods")

        gitops.spec = {**spec, "model": {"engine": "fake", "name": "two"}}
        fake.wait_condition("Progressing", "True", "Paused")
        second = fake.status()["rollout"]["revision"]
        fake.annotate("promote", "2/1")
        fake.wait_ready()

        gitops.spec = {**spec, "model": {"engine": "fake", "name": "three"}}
        fake.wait_condition("Progressing", "True", "Paused")
        third = fake.status()["rollout"]["revision"]
        fake.annotate("abort", "3")
        fake.wait_condition("Progressing", "False", "RolloutFailed")
        stays(gitops, fake, second)

        fake.annotate("rollback-to", "1")
        eventually(fake.status, lambda s: s["currentRevision"] == first, 60, "the first serves")
        fake.wait_condition("RolledBack", "True")
        stays(gitops, fake, first)
        generations = [s.object["metadata"]["generation"] for s in seen.objects.states()]
        pods = {(revision_of(s.object), s.name) for s in seen.pods.states()}
    print(f"applied {gitops.applied} times")
    assert gitops.failures == []
    assert generations == sorted(generations)
    assert generations[-1] == 4, "one for each edit in Git and one for the autoscaler's"
    assert len(kubectl.list("controllerrevisions")) == 3
    counts = {name: sum(r == name for r, _ in pods) for name in (first, second, third)}
    assert counts == {first: 4, second: 2, third: 2}, "the first came twice, none in vain"
    assert [r for r, _ in pods if r not in counts] == []


def stays(gitops: GitOps, fake: Deployment, revision: str) -> None:
    """Fail unless `revision` serves while what stands in Git is applied another five times."""
    before = fake.status()
    most = gitops.applied + 5
    eventually(lambda: gitops.applied, lambda n: n >= most, 60, "applied again")
    after = fake.status()
    assert after["currentRevision"] == revision
    assert after["conditions"] == before["conditions"]
    assert after["rollout"] == before["rollout"]


def revision_of(pod: Manifest) -> str:
    """The revision that a pod runs."""
    return str(pod["metadata"]["labels"].get("docparser.dev/revision", ""))

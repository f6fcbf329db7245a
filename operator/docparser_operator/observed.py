"""What the cluster holds for one DocParserDeployment, parsed for the decisions."""

from collections import Counter
from dataclasses import dataclass, field

from docparser_api import names
from docparser_api.deployment import ObjectMeta

from docparser_operator import kinds
from docparser_operator.desired import network
from docparser_operator.desired.gateways import PURPOSE, gateway_name
from docparser_operator.desired.metadata import revision_name
from docparser_operator.jobs import JobState, job_of, without_helpers
from docparser_operator.kinds import Manifest
from docparser_operator.ownership import Ownership, ownership
from docparser_operator.pods import Pod, pod_of
from docparser_operator.revisions import Revision, from_controller_revision

_ENDS = {
    kinds.SERVICE: ("", names.SUFFIX_CANARY, names.SUFFIX_STABLE),
    kinds.DISRUPTION_BUDGET: ("", names.SUFFIX_GATEWAY),
    kinds.CONFIG_MAP: (names.SUFFIX_SPLIT,),
    kinds.NETWORK_POLICY: network.SUFFIXES,
}
"""How names of children end that are made of the owner's."""


@dataclass(frozen=True)
class Workload:
    """A Deployment of one revision.

    Attributes:
        replicas: size that it is asked to have.
        pods: pods that its ReplicaSets count.
        ready: pods that are ready.
        available: pods that have been ready for minReadySeconds.
        current: whether its controller has seen its latest size.
        failure: why the cluster refuses to create its pods; or None.
    """

    revision: str
    replicas: int
    pods: int
    ready: int
    available: int
    current: bool
    failure: str | None
    manifest: Manifest


@dataclass(frozen=True)
class Observed:
    """All children and pods of one DocParserDeployment."""

    revisions: dict[str, Revision] = field(default_factory=dict)
    workloads: dict[str, Workload] = field(default_factory=dict)
    pods: tuple[Pod, ...] = ()
    jobs: dict[str, JobState] = field(default_factory=dict)
    gateways: int = 0
    """Gateways that are available."""
    gateway_pods: tuple[Pod, ...] = ()
    manifests: tuple[Manifest, ...] = ()
    """The children as they are, for preconditions of writes."""

    def pod_count(self, revision: str) -> int:
        """Return how many pod objects of `revision` exist, those that shut down included."""
        return self._pods_by_revision()[revision]

    def deleting_count(self, revision: str) -> int:
        """Return how many pods of `revision` shut down."""
        return sum(pod.deleting for pod in self.pods if pod.revision == revision)

    def foreign_pod_count(self, revision: str) -> int:
        """Return how many pod objects of other revisions than `revision` exist."""
        return len(self.pods) - self.pod_count(revision)

    def scheduled_count(self, revision: str) -> int:
        """Return how many pods of `revision` have a node."""
        pods = (pod for pod in self.pods if pod.revision == revision and not pod.deleting)
        return sum("nodeName" in pod.manifest.get("spec", {}) for pod in pods)

    def pods_but(self, revisions: set[str]) -> int:
        """Return how many pod objects of other revisions than `revisions` exist."""
        return sum(pod.revision not in revisions for pod in self.pods)

    def empty_workloads(self, but: set[str | None]) -> tuple[str, ...]:
        """Return the revisions whose Deployment and pods have come to nothing, except `but`."""
        return tuple(
            name
            for name, workload in self.workloads.items()
            if name not in but and not (workload.replicas or workload.pods or self.pod_count(name))
        )

    def _pods_by_revision(self) -> Counter[str]:
        return Counter(pod.revision for pod in self.pods)


def observe(owner: ObjectMeta, objects: list[Manifest]) -> Observed:
    """Return what `objects`, all labelled as belonging to `owner`, amount to.

    Children of another owner, such as an earlier object of the same name, are left out. Pods are
    not: until they are gone they hold their GPUs, whoever asked for them.
    """
    by_kind: dict[kinds.Kind, list[Manifest]] = {}
    for manifest in sorted(objects, key=lambda o: str(o["metadata"]["name"])):
        kind = kinds.kind_of(manifest)
        if kind == kinds.POD or _is_child(manifest, owner, kind):
            by_kind.setdefault(kind, []).append(manifest)
    revisions = map(from_controller_revision, by_kind.get(kinds.CONTROLLER_REVISION, []))
    helpers, servers = without_helpers(by_kind.get(kinds.POD, []))
    pods = tuple(pod_of(manifest) for manifest in servers if _holds_gpu(manifest))
    jobs = (job_of(manifest, helpers) for manifest in by_kind.get(kinds.JOB, []))
    ready = Counter(pod.revision for pod in pods if pod.ready and not pod.deleting)
    deployments = by_kind.get(kinds.DEPLOYMENT, [])
    doors = [m for m in deployments if m["metadata"]["name"] == gateway_name(owner)]
    workloads = (_workload(manifest, ready) for manifest in deployments if manifest not in doors)
    return Observed(
        revisions={revision.hash: revision for revision in revisions},
        workloads={workload.revision: workload for workload in workloads},
        pods=pods,
        jobs={job.name: job for job in jobs},
        gateways=sum(m.get("status", {}).get("availableReplicas", 0) for m in doors),
        gateway_pods=tuple(
            pod_of(pod)
            for pod in helpers
            if pod["metadata"]["labels"][names.LABEL_PURPOSE] == PURPOSE
        ),
        manifests=tuple(m for kind in kinds.CHILDREN for m in by_kind.get(kind, [])),
    )


def _is_child(manifest: Manifest, owner: ObjectMeta, kind: kinds.Kind) -> bool:
    """Return whether `manifest` belongs to `owner` and is not somebody's copy of such an object."""
    if ownership(manifest, owner) is Ownership.FOREIGN:
        return False
    name = manifest["metadata"]["name"]
    if kind == kinds.DEPLOYMENT:
        return name in {gateway_name(owner), revision_name(owner, _selected_revision(manifest))}
    if kind == kinds.JOB:
        return bool(name.startswith(f"{owner.name}-"))
    if kind == kinds.CONTROLLER_REVISION:
        known = {"shape", "template"} <= set(manifest.get("data") or {})
        return known and bool(name.rpartition("-")[0] == owner.name)
    return name in {owner.name + end for end in _ENDS.get(kind, ("",))}


def _selected_revision(manifest: Manifest) -> str:
    """Return the revision of a Deployment by its selector, which unlike a label cannot change."""
    return str(manifest["spec"]["selector"].get("matchLabels", {}).get(names.LABEL_REVISION, ""))


def _workload(manifest: Manifest, ready_pods: Counter[str]) -> Workload:
    revision = _selected_revision(manifest)
    status = manifest.get("status", {})
    current = status.get("observedGeneration", 0) >= manifest["metadata"].get("generation", 1)
    # Pods beyond the size are as good as gone, and so may others be that an older count includes.
    size = manifest["spec"].get("replicas", 1)
    most = size if current else min(size, ready_pods[revision])
    conditions = {c["type"]: c for c in status.get("conditions", [])} if current else {}
    refused = conditions.get("ReplicaFailure", {})
    return Workload(
        revision=revision,
        replicas=size,
        pods=status.get("replicas", 0),
        ready=min(most, status.get("readyReplicas", 0)),
        available=min(most, status.get("availableReplicas", 0)),
        current=current,
        failure=refused.get("message", "") if refused.get("status") == "True" else None,
        manifest=manifest,
    )


def _holds_gpu(manifest: Manifest) -> bool:
    """Return whether a pod counts: it has not ended for good, and it is a Deployment's.

    An evicted pod stays as an object, and so does one that somebody took out of its ReplicaSet
    to look into it; to wait for their end would be to wait for ever. A pod that is being deleted
    counts until its object is gone: only then has the kubelet cleaned up behind it.
    """
    ended = manifest.get("status", {}).get("phase") in {"Succeeded", "Failed"}
    ended = ended and "deletionTimestamp" not in manifest["metadata"]
    owners = manifest["metadata"].get("ownerReferences", [])
    return not ended and any(owner.get("controller") for owner in owners)

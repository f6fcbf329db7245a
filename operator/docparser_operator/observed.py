"""What the cluster holds for one DocParserDeployment, parsed for the decisions."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from docparser_api import names
from docparser_api.deployment import ObjectMeta

from docparser_operator import kinds
from docparser_operator.kinds import Manifest
from docparser_operator.ownership import Ownership, ownership
from docparser_operator.revisions import Revision, from_controller_revision


@dataclass(frozen=True)
class Workload:
    """A Deployment of one revision.

    Attributes:
        replicas: size that it is asked to have.
        pods: pods that its ReplicaSets count.
        ready: pods that are ready.
        available: pods that have been ready for minReadySeconds.
        deadline_exceeded: whether it made no progress for progressDeadlineSeconds.
        failure: why the cluster refuses to create its pods, as (reason, message); or None.
    """

    revision: str
    replicas: int
    pods: int
    ready: int
    available: int
    deadline_exceeded: bool
    failure: tuple[str, str] | None
    manifest: Manifest


@dataclass(frozen=True)
class Pod:
    """A pod of one revision.

    Attributes:
        deleting: whether it is shutting down; it still holds its GPU then.
        ready: whether it receives requests.
        manifest: the object, for the words of a failure.
    """

    name: str
    revision: str
    deleting: bool
    ready: bool
    manifest: Manifest


@dataclass(frozen=True)
class Observed:
    """All children and pods of one DocParserDeployment."""

    revisions: dict[str, Revision] = field(default_factory=dict)
    workloads: dict[str, Workload] = field(default_factory=dict)
    pods: tuple[Pod, ...] = ()
    manifests: tuple[Manifest, ...] = ()
    """The children as they are, for preconditions of writes."""

    def pod_count(self, revision: str) -> int:
        """Return how many pod objects of `revision` exist, those that shut down included."""
        return self._pods_by_revision()[revision]

    def foreign_pod_count(self, revision: str) -> int:
        """Return how many pod objects of other revisions than `revision` exist."""
        return len(self.pods) - self.pod_count(revision)

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
        if kind == kinds.POD or ownership(manifest, owner) is not Ownership.FOREIGN:
            by_kind.setdefault(kind, []).append(manifest)
    revisions = map(from_controller_revision, by_kind.get(kinds.CONTROLLER_REVISION, []))
    workloads = map(_workload, by_kind.get(kinds.DEPLOYMENT, []))
    return Observed(
        revisions={revision.hash: revision for revision in revisions},
        workloads={workload.revision: workload for workload in workloads},
        pods=tuple(map(_pod, by_kind.get(kinds.POD, []))),
        manifests=tuple(m for kind in kinds.CHILDREN for m in by_kind.get(kind, [])),
    )


def _workload(manifest: Manifest) -> Workload:
    status = manifest.get("status", {})
    generation = manifest["metadata"].get("generation", 1)
    # Counts of an older generation describe another size; they must not look complete.
    current = status.get("observedGeneration", 0) >= generation
    conditions = {c["type"]: c for c in status.get("conditions", [])} if current else {}
    progressing = conditions.get("Progressing", {})
    refused = conditions.get("ReplicaFailure", {})
    return Workload(
        revision=_revision(manifest),
        replicas=manifest["spec"].get("replicas", 1),
        pods=status.get("replicas", 0),
        ready=status.get("readyReplicas", 0) if current else 0,
        available=status.get("availableReplicas", 0) if current else 0,
        deadline_exceeded=progressing.get("reason") == "ProgressDeadlineExceeded",
        failure=(refused.get("reason", ""), refused.get("message", ""))
        if refused.get("status") == "True"
        else None,
        manifest=manifest,
    )


def _pod(manifest: Manifest) -> Pod:
    conditions: list[dict[str, Any]] = manifest.get("status", {}).get("conditions", [])
    return Pod(
        name=manifest["metadata"]["name"],
        revision=_revision(manifest),
        deleting="deletionTimestamp" in manifest["metadata"],
        ready=any(c["type"] == "Ready" and c["status"] == "True" for c in conditions),
        manifest=manifest,
    )


def _revision(manifest: Manifest) -> str:
    """Return the revision of a Deployment or pod; empty when the label was removed by hand."""
    return str(manifest["metadata"].get("labels", {}).get(names.LABEL_REVISION, ""))

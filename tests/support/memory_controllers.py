"""What Kubernetes' own controllers and a kubelet do, in steps that a test takes."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from docparser_api import names
from docparser_operator.clock import seconds_since, timestamp
from docparser_operator.deletion_costs import ANNOTATION
from docparser_operator.kinds import CHILDREN, DEPLOYMENT, POD, Manifest, Ref, ref_of
from support.fake_clock import FakeClock
from support.memory_cluster import MemoryCluster, owned_by
from support.memory_jobs import MemoryJobs

NODE_NAME = "node"


def is_good(image: str) -> bool:
    """Return whether pods of `image` become ready: unless its name says otherwise."""
    return "broken" not in image


@dataclass
class MemoryControllers:
    """Garbage collector, Deployment controller and kubelet.

    Attributes:
        nodes: pods that fit into the cluster, those that shut down included; None for any number.
        refuse_pod: why the API server would not take a pod, if so.
        shutdown_steps: steps of the kubelet that a pod takes to end.
    """

    cluster: MemoryCluster
    clock: FakeClock
    nodes: int | None = None
    refuse_pod: Callable[[Manifest], str | None] = lambda _deployment: None
    shutdown_steps: int = 2
    _leaving: dict[str, int] = field(default_factory=dict)
    jobs: MemoryJobs = field(init=False)
    _names: int = 0

    def __post_init__(self) -> None:
        self.jobs = MemoryJobs(self.cluster)

    def step(self) -> bool:
        """Let each do its work once; return whether anything changed or is about to."""
        before = self.cluster.version
        self.collect_garbage()
        for deployment in self.cluster.of_kind(DEPLOYMENT):
            self.run_deployment(deployment)
        self.jobs.step()
        for pod in self.cluster.of_kind(POD):
            if _runs(pod):
                self.run_pod(pod)
        return self.cluster.version != before or bool(self._leaving)

    def due(self) -> list[float]:
        """Return when pods become available that are only ready yet, on the clock's own scale."""
        result = []
        for deployment in self.cluster.of_kind(DEPLOYMENT):
            shortest = deployment["spec"].get("minReadySeconds", 0)
            for since in map(_ready_since, self._pods(deployment)):
                left = shortest - seconds_since(since, self.clock()) if since else 0
                result += [self.clock.monotonic() + left] if left > 0 else []
        return result

    def collect_garbage(self) -> None:
        """Delete what belongs to an owner that is gone."""
        uids = {manifest["metadata"]["uid"] for manifest in self.cluster.objects.values()}
        uids |= {_replica_set(deployment) for deployment in self.cluster.of_kind(DEPLOYMENT)}
        for kind in (*CHILDREN, POD):
            for manifest in self.cluster.of_kind(kind):
                owners = {o["uid"] for o in manifest["metadata"].get("ownerReferences", [])}
                if owners and not owners & uids:
                    self._end(manifest)

    def run_deployment(self, deployment: Manifest) -> None:
        """Create or delete pods of a Deployment and count them."""
        pods = self._pods(deployment)
        surplus = len(pods) - deployment["spec"]["replicas"]
        # As the ReplicaSet controller does: those that are not ready go first, then the cheapest.
        pods.sort(
            key=lambda pod: (
                _ready_since(pod) is not None,
                int(pod["metadata"].get("annotations", {}).get(ANNOTATION, "0")),
                pod["metadata"]["name"],
            )
        )
        for pod in pods[: max(0, surplus)]:
            self._end(pod)
        refused = self.refuse_pod(deployment) if surplus < 0 else None
        for _ in range(0 if refused else -surplus):
            self.cluster.submit(self._pod(deployment))
        self.cluster.edit(ref_of(deployment), {"status": self._status(deployment, refused)})

    def run_pod(self, pod: Manifest) -> None:
        """Start a pod, or end it some steps after it was told to."""
        ref, uid = ref_of(pod), pod["metadata"]["uid"]
        if "deletionTimestamp" in pod["metadata"]:
            self._leaving[uid] = self._leaving.get(uid, 0) + 1
            if self._leaving[uid] >= self.shutdown_steps:
                del self._leaving[uid]
                self.cluster.remove(ref)
        elif not pod.get("status"):
            self._start(pod)
        elif _unschedulable(pod) and self._fits(pod):
            self.cluster.edit(ref, {"status": {"conditions": None}})
            self._start(pod)

    def _start(self, pod: Manifest) -> None:
        if self._fits(pod):
            self.cluster.edit(ref_of(pod), {"spec": {"nodeName": NODE_NAME}})
        self.cluster.edit(ref_of(pod), {"status": self._pod_status(pod)})

    def _pods(self, deployment: Manifest) -> list[Manifest]:
        owner = _replica_set(deployment)
        pods = [pod for pod in self.cluster.of_kind(POD) if owned_by(pod, owner)]
        return [pod for pod in pods if "deletionTimestamp" not in pod["metadata"] and _runs(pod)]

    def _end(self, manifest: Manifest) -> None:
        ref = ref_of(manifest)
        if ref.kind != POD:
            self.cluster.remove(ref)
        elif "deletionTimestamp" not in manifest["metadata"]:
            now = timestamp(self.clock())
            ready = {"conditions": [{"type": "Ready", "status": "False"}]}
            self.cluster.edit(ref, {"metadata": {"deletionTimestamp": now}, "status": ready})

    def _pod(self, deployment: Manifest) -> Manifest:
        self._names += 1
        template, metadata = deployment["spec"]["template"], deployment["metadata"]
        owner = {
            "apiVersion": "apps/v1",
            "kind": "ReplicaSet",
            "name": metadata["name"],
            "uid": _replica_set(deployment),
            "controller": True,
        }
        return {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {
                "name": f"{metadata['name']}-{self._names:04}",
                "namespace": metadata["namespace"],
                "labels": dict(template["metadata"]["labels"]),
                "ownerReferences": [owner],
            },
            "spec": template["spec"],
        }

    def _pod_status(self, pod: Manifest) -> Manifest:
        if not self._fits(pod):
            words = "0/1 nodes are available: 1 Insufficient nvidia.com/gpu."
            condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}
            return {"phase": "Pending", "conditions": [{**condition, "message": words}]}
        image = pod["spec"]["containers"][0]["image"]
        ready = {"type": "Ready", "status": "False"}
        if is_good(image):
            ready = {"type": "Ready", "status": "True"}
            ready["lastTransitionTime"] = timestamp(self.clock())
            return {"phase": "Running", "conditions": [ready], "podIP": "10.0.0.1"}
        ended = {"exitCode": 3, "message": "cannot load the model"}
        container = {
            "name": names.CONTAINER,
            "image": image,
            "restartCount": 2,
            "state": {"waiting": {"reason": "CrashLoopBackOff"}},
            "lastState": {"terminated": ended},
        }
        return {"phase": "Running", "conditions": [ready], "containerStatuses": [container]}

    def _fits(self, pod: Manifest) -> bool:
        if self.nodes is None:
            return True
        placed = [p for p in self.cluster.of_kind(POD) if p.get("status") and not _unschedulable(p)]
        return sum(_runs(other) for other in placed if other is not pod) < self.nodes

    def _status(self, deployment: Manifest, refused: str | None) -> Manifest:
        pods, shortest = self._pods(deployment), deployment["spec"].get("minReadySeconds", 0)
        ready = [since for pod in pods if (since := _ready_since(pod)) is not None]
        available = [since for since in ready if seconds_since(since, self.clock()) >= shortest]
        failure = {"type": "ReplicaFailure", "status": "True", "reason": "FailedCreate"}
        return {
            "observedGeneration": deployment["metadata"]["generation"],
            "replicas": len(pods),
            "readyReplicas": len(ready) or None,
            "availableReplicas": len(available) or None,
            "conditions": [{**failure, "message": refused}] if refused else [],
        }


def _replica_set(deployment: Manifest) -> str:
    return f"rs-of-{deployment['metadata']['uid']}"


def _conditions(pod: Manifest) -> dict[str, dict[str, Any]]:
    return {c["type"]: c for c in pod.get("status", {}).get("conditions", [])}


def _runs(pod: Manifest) -> bool:
    return pod.get("status", {}).get("phase") not in {"Succeeded", "Failed"}


def _unschedulable(pod: Manifest) -> bool:
    return _conditions(pod).get("PodScheduled", {}).get("status") == "False"


def _ready_since(pod: Manifest) -> str | None:
    ready = _conditions(pod).get("Ready", {})
    return ready["lastTransitionTime"] if ready.get("status") == "True" else None


def ready_pods(cluster: MemoryCluster, selector: dict[str, str]) -> list[Ref]:
    """Return the pods to which a Service with `selector` sends requests."""
    return [
        ref_of(pod)
        for pod in cluster.of_kind(POD)
        if selector.items() <= pod["metadata"]["labels"].items()
        and _ready_since(pod) is not None
        and "deletionTimestamp" not in pod["metadata"]
    ]

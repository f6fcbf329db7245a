"""What pods there are for an autoscaler to count on, and how long they took to come. Pure."""

from collections.abc import Iterator
from datetime import datetime

from docparser_api import names
from docparser_api.deployment import DocParserDeployment
from docparser_api.status import RolloutStatus

from docparser_operator.autoscaling.lead_times import Start
from docparser_operator.autoscaling.values import Freeze, Supply
from docparser_operator.capacity import fitting_pods
from docparser_operator.clock import seconds_since
from docparser_operator.kinds import Manifest
from docparser_operator.observed import Observed
from docparser_operator.pods import Pod
from docparser_operator.surroundings import Surroundings

_PRODUCT = "nvidia.com/gpu.product"
"""Node label that names the GPU, as GPU feature discovery writes it."""


def supply_of(
    parser: DocParserDeployment,
    observed: Observed,
    around: Surroundings,
    lead_time_seconds: float | None,
    now: datetime,
) -> Supply:
    """Return the pods of the revision that serves; of all where they are replaced in place."""
    status, rollout = parser.status, parser.status.rollout
    serving = status.current_revision or status.update_revision
    mixed = rollout is not None and rollout.in_place and rollout.completed_at is None
    pods = [p for p in observed.pods if not p.deleting and (mixed or p.revision == serving)]
    coming = [pod for pod in pods if not pod.ready]
    known = status.autoscaling.inputs.pages_per_minute if status.autoscaling else None
    return Supply(
        ready=len(pods) - len(coming),
        starting=tuple(_age(pod, now) for pod in coming),
        pages_per_second=known / 60 if known else None,
        lead_time_seconds=lead_time_seconds,
        schedulable=_schedulable(observed, around, serving, coming),
        frozen=freeze_of(parser, rollout),
    )


def pod_addresses(observed: Observed) -> tuple[tuple[str, str], ...]:
    """Return uid and address of all pods that can be asked, gateways included."""
    return tuple(
        (pod.manifest["metadata"]["uid"], f"{address}:{names.PORT}")
        for pod in (*observed.pods, *observed.gateway_pods)
        if pod.ready and not pod.deleting and (address := _address(pod))
    )


def freeze_of(parser: DocParserDeployment, rollout: RolloutStatus | None) -> Freeze:
    """Return what `rollout` forbids until the new revision serves, or was given up."""
    if rollout is None or rollout.promoted_at or rollout.completed_at or rollout.failed_at:
        return Freeze.NOTHING
    if parser.metadata.annotations.get(names.ANNOTATION_PAUSE) == "true":
        return Freeze.ALL
    return Freeze.SHRINKING


def has_shared_queue(parser: DocParserDeployment) -> bool:
    """Return whether all pods have one queue, of which each of them tells."""
    named = any(env.name == names.ENV_DATABASE_URL for env in parser.spec.env or [])
    return named or parser.spec.queue is not None


def starts(parser: DocParserDeployment, observed: Observed, around: Surroundings) -> list[Start]:
    """Return how the pods that serve came to do so."""
    return [start for pod in observed.pods for start in _start(parser, pod, around)]


def _schedulable(
    observed: Observed, around: Surroundings, revision: str | None, coming: list[Pod]
) -> int | None:
    """Return how many pods find free GPUs beyond those that wait for one already."""
    known = observed.revisions.get(revision or "")
    fitting = fitting_pods(known.template, around.capacity) if known else None
    if fitting is None:
        return None
    waiting = sum("nodeName" not in pod.manifest.get("spec", {}) for pod in coming)
    return max(0, fitting - waiting)


def _age(pod: Pod, now: datetime) -> float:
    created = pod.manifest["metadata"].get("creationTimestamp")
    return max(0.0, seconds_since(created, now)) if created else 0.0


def _start(parser: DocParserDeployment, pod: Pod, around: Surroundings) -> Iterator[Start]:
    """Yield how `pod` came to serve, unless it was restarted or was away meanwhile."""
    status = pod.manifest.get("status", {})
    times = {c["type"]: c.get("lastTransitionTime") for c in status.get("conditions", [])}
    marks = (
        pod.manifest["metadata"].get("creationTimestamp"),
        times.get("PodScheduled"),
        _began(status),
        times.get("Ready"),
    )
    if not pod.ready or None in marks:
        return
    created, scheduled, began, ready = (datetime.fromisoformat(str(mark)) for mark in marks)
    loading = (ready - began).total_seconds()
    if loading > parser.spec.probes.startup_timeout_seconds:
        return  # it was ready before, and then away
    yield Start(
        revision=pod.revision,
        device=_device(parser, pod, around),
        scheduling_seconds=max(0.0, (scheduled - created).total_seconds()),
        preparing_seconds=max(0.0, (began - scheduled).total_seconds()),
        loading_seconds=max(0.0, loading),
        ready_at=ready,
    )


def _began(status: Manifest) -> str | None:
    """Return when the runtime began, if it did only once."""
    for container in status.get("containerStatuses", []):
        if container.get("name") == names.CONTAINER and not container.get("restartCount"):
            began: str | None = container.get("state", {}).get("running", {}).get("startedAt")
            return began
    return None


def _device(parser: DocParserDeployment, pod: Pod, around: Surroundings) -> str:
    """Return the class of the GPU: its name where nodes tell it, else that of the resource."""
    gpu = parser.spec.resources.gpu
    if not gpu.count:
        return ""
    node = pod.manifest.get("spec", {}).get("nodeName")
    for found in around.capacity.nodes if around.capacity else ():
        if found["metadata"]["name"] == node:
            return str(found["metadata"].get("labels", {}).get(_PRODUCT, gpu.resource_name))[:128]
    return gpu.resource_name


def _address(pod: Pod) -> str:
    address = str(pod.manifest.get("status", {}).get("podIP", ""))
    return f"[{address}]" if ":" in address else address

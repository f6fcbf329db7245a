"""The rollout as a pure state machine: which revision serves, and how many pods each has.

Its state stands in `status.currentRevision` and `status.rollout` and in the
cluster itself, so a restart of the operator at any point goes on from there.
"""

from dataclasses import dataclass
from datetime import datetime

from docparser_api.spec import RolloutSpec
from docparser_api.status import RolloutStatus

from docparser_operator.clock import seconds_since, timestamp
from docparser_operator.observed import Observed
from docparser_operator.sizes import exchanged, retired

RETIRE_DELAY_SECONDS = 5.0
"""Time for every node to learn that the Service has moved, before old pods are told to go."""


@dataclass(frozen=True)
class Situation:
    """What the decision depends on.

    Attributes:
        replicas: pods that spec asks for.
        rules: spec.rollout.
        target: revision that spec asks for.
        target_failed: whether that revision was given up before.
        stable: revision that serves; None before the first one was available.
        rollout: status.rollout as last written.
    """

    replicas: int
    rules: RolloutSpec
    target: str
    target_failed: bool
    stable: str | None
    rollout: RolloutStatus | None
    observed: Observed
    now: datetime


@dataclass(frozen=True)
class Decision:
    """What should be.

    Attributes:
        stable: revision that serves from now on.
        serving: revision that the Service selects; None for all revisions.
        sizes: pods of each revision that has, or needs, a Deployment.
        delete: revisions whose empty Deployment can go.
        rollout: status.rollout.
        failed: whether the target is given up now.
        requeue_seconds: when to look again without an event.
        waiting_for_pods: pods of other revisions that must be gone before the next step.
    """

    stable: str | None
    serving: str | None
    sizes: dict[str, int]
    delete: tuple[str, ...]
    rollout: RolloutStatus
    failed: bool = False
    requeue_seconds: float | None = None
    waiting_for_pods: int = 0


def decide(now: Situation) -> Decision:
    """Return what should be, given what is."""
    complete = _is_complete(now)
    if now.stable is None:
        begun = now.target in now.observed.workloads
        return _settled(now) if complete and begun else _rolling(now)
    if now.stable == now.target:
        return _settled(now)
    if now.target_failed or _stalled_seconds(now) >= now.rules.progress_deadline_seconds:
        return _failed(now, now.stable)
    return _settled(now) if complete else _rolling(now)


def _is_complete(now: Situation) -> bool:
    """Return whether the target may serve.

    With no pod wanted, one that was tried is unproven; it waits, if there is another to go back to.
    """
    running = now.rollout
    tried = running is not None and running.revision == now.target and running.pods_wanted > 0
    if now.replicas == 0 and tried and now.stable is not None:
        return False
    return _available(now, now.target) >= now.replicas


def _rolling(now: Situation) -> Decision:
    """Return the decision while the target starts: in place, or beside the full stable revision."""
    stable = now.stable
    if now.rules.strategy == "InPlace":
        sizes, serving, waiting = _in_place(now, now.target)
    else:
        sizes, serving, waiting = retired(now.observed, {stable, now.target}), stable, 0
        sizes[now.target] = now.replicas
        if stable is None:
            serving = now.target
        else:
            sizes[stable] = now.replicas
    rollout = _progressed(now, _started(now), sizes[now.target])
    left = None
    if stable is not None and sizes[now.target] > _available(now, now.target):
        since = seconds_since(rollout.progressed_at or rollout.started_at, now.now)
        left = max(0.0, now.rules.progress_deadline_seconds - since)
    return Decision(
        stable=stable,
        serving=serving,
        sizes=sizes,
        delete=now.observed.empty_workloads(but={stable, now.target}),
        rollout=rollout,
        requeue_seconds=left,
        waiting_for_pods=waiting,
    )


def _settled(now: Situation) -> Decision:
    """Return the decision once the target is the one that serves: the others retire."""
    rollout = _started(now)
    target, waiting = now.target, 0
    serving: str | None = target
    if rollout.promoted_at is None or seconds_since(rollout.promoted_at, now.now) < 0:
        update = {"promoted_at": timestamp(now.now), "pods_wanted": 0}
        rollout = rollout.model_copy(update=update)
    left = RETIRE_DELAY_SECONDS - seconds_since(rollout.promoted_at or "", now.now)
    if now.rules.strategy == "InPlace" and _available(now, target) < now.replicas:
        sizes, serving, waiting = _in_place(now, target)
    else:
        sizes = retired(now.observed, {target}, shrink=left <= 0) | {target: now.replicas}
    others = set(sizes) != {target}
    if not others and rollout.completed_at is None:
        rollout = rollout.model_copy(update={"completed_at": timestamp(now.now)})
    return Decision(
        stable=target,
        serving=serving,
        sizes=sizes,
        delete=now.observed.empty_workloads(but={target}),
        rollout=rollout,
        requeue_seconds=left if others and left > 0 else None,
        waiting_for_pods=waiting,
    )


def _failed(now: Situation, stable: str) -> Decision:
    """Return the decision after the target was given up: the stable revision gets its pods back."""
    serving: str | None = stable
    waiting = 0
    if now.rules.strategy == "InPlace":
        sizes, serving, waiting = _in_place(now, stable)
    else:
        sizes = retired(now.observed, {stable}) | {stable: now.replicas}
    rollout = _started(now)
    if rollout.failed_at is None:
        rollout = rollout.model_copy(update={"failed_at": timestamp(now.now)})
    return Decision(
        stable=stable,
        serving=serving,
        sizes=sizes,
        delete=now.observed.empty_workloads(but={stable}),
        rollout=rollout,
        failed=not now.target_failed,
        waiting_for_pods=waiting,
    )


def _in_place(now: Situation, growing: str) -> tuple[dict[str, int], str | None, int]:
    """Return sizes, serving revision and pods to wait for while `growing` replaces the others."""
    found = exchanged(now.observed, growing, now.stable, now.replicas, now.rules.max_unavailable)
    others = sum(size for name, size in found.items() if name != growing)
    waiting = max(0, now.observed.foreign_pod_count(growing) - others)
    return found, None if others else growing, waiting


def _started(now: Situation) -> RolloutStatus:
    """Return the rollout of the target: the one under way, or a new one."""
    running = now.rollout
    if running is not None and running.revision == now.target:
        retried = running.failed_at is not None and not now.target_failed
        if not retried:
            return running
    return RolloutStatus(revision=now.target, started_at=timestamp(now.now))


def _progressed(now: Situation, rollout: RolloutStatus, size: int) -> RolloutStatus:
    """Return `rollout` with its last progress; a time that lies ahead comes from another clock."""
    available = _available(now, now.target)
    last = rollout.progressed_at
    update: dict[str, object] = {"pods_wanted": max(size, rollout.pods_wanted)}
    if (
        last is None
        or seconds_since(last, now.now) < 0
        or available > rollout.available_pods
        or size > _size(now, now.target)
    ):
        update["progressed_at"] = timestamp(now.now)
        update["available_pods"] = max(available, rollout.available_pods)
    return rollout.model_copy(update=update)


def _stalled_seconds(now: Situation) -> float:
    """Return how long pods of the target have failed to become available.

    The Deployment's own deadline is of no use: it ends for good once a Deployment was complete,
    be it with no pod at all.
    """
    running, available = now.rollout, _available(now, now.target)
    if running is None or running.revision != now.target or running.failed_at is not None:
        return 0
    if running.progressed_at is None or available > running.available_pods:
        return 0
    if available >= min(_size(now, now.target), now.replicas):
        return 0
    return seconds_since(running.progressed_at, now.now)


def _available(now: Situation, revision: str) -> int:
    workload = now.observed.workloads.get(revision)
    return workload.available if workload else 0


def _size(now: Situation, revision: str) -> int:
    workload = now.observed.workloads.get(revision)
    return workload.replicas if workload else 0

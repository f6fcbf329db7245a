"""The rollout as a pure state machine: which revision serves, and how many pods each has.

Its state stands in `status.currentRevision` and `status.rollout` and in the
cluster itself, so a restart of the operator at any point goes on from there.
"""

from dataclasses import dataclass, field
from datetime import datetime

from docparser_api.spec import RolloutSpec
from docparser_api.status import RolloutStatus

from docparser_operator.clock import seconds_since, timestamp
from docparser_operator.observed import Observed

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
    """

    stable: str | None
    serving: str | None
    sizes: dict[str, int]
    delete: tuple[str, ...]
    rollout: RolloutStatus
    failed: bool = False
    requeue_seconds: float | None = None
    waiting_for_pods: int = field(default=0)
    """Pods of other revisions that must be gone before the target may grow."""


def decide(now: Situation) -> Decision:
    """Return what should be, given what is."""
    if now.stable is None:
        return _first(now)
    if now.stable == now.target:
        return _settled(now, now.target)
    if now.target_failed or _gave_up(now):
        return _failed(now, now.stable)
    if _available(now, now.target) >= now.replicas:
        return _settled(now, now.target)
    if now.rules.strategy == "Surge":
        return _surging(now, now.stable)
    return _replacing(now, now.stable)


def _first(now: Situation) -> Decision:
    """Return the decision while nothing has ever served."""
    if _available(now, now.target) >= now.replicas and now.target in now.observed.workloads:
        return _settled(now, now.target)
    retired, delete = _retired(now, keep={now.target}, shrink=True)
    return Decision(
        stable=None,
        serving=now.target,
        sizes=retired | {now.target: now.replicas},
        delete=delete,
        rollout=_started(now),
    )


def _settled(now: Situation, stable: str) -> Decision:
    """Return the decision once `stable` is what spec asks for: the others retire."""
    rollout = _started(now)
    if rollout.promoted_at is None:
        rollout = rollout.model_copy(update={"promoted_at": timestamp(now.now)})
    left = RETIRE_DELAY_SECONDS - seconds_since(rollout.promoted_at or "", now.now)
    retired, delete = _retired(now, keep={stable}, shrink=left <= 0)
    if not retired and rollout.completed_at is None:
        rollout = rollout.model_copy(update={"completed_at": timestamp(now.now)})
    return Decision(
        stable=stable,
        serving=stable,
        sizes=retired | {stable: now.replicas},
        delete=delete,
        rollout=rollout,
        requeue_seconds=left if retired and left > 0 else None,
    )


def _surging(now: Situation, stable: str) -> Decision:
    """Return the decision while the target starts beside the full stable revision."""
    retired, delete = _retired(now, keep={stable, now.target}, shrink=True)
    return Decision(
        stable=stable,
        serving=stable,
        sizes=retired | {stable: now.replicas, now.target: now.replicas},
        delete=delete,
        rollout=_started(now),
    )


def _replacing(now: Situation, stable: str) -> Decision:
    """Return the decision while pods are replaced, with never more than `replicas` of them."""
    retired, delete = _retired(now, keep={stable, now.target}, shrink=True)
    others = now.observed.foreign_pod_count(now.target)
    shrunk = now.replicas - _available(now, now.target) - now.rules.max_unavailable
    old = max(0, min(_size(now, stable), shrunk))
    new = max(min(_size(now, now.target), now.replicas), now.replicas - max(others, old), 0)
    return Decision(
        stable=stable,
        serving=None,
        sizes=retired | {stable: old, now.target: new},
        delete=delete,
        rollout=_started(now),
        waiting_for_pods=max(0, others - old),
    )


def _failed(now: Situation, stable: str) -> Decision:
    """Return the decision after the target was given up: the stable revision gets its pods back."""
    retired, delete = _retired(now, keep={stable}, shrink=True)
    size = now.replicas
    if now.rules.strategy == "InPlace":
        room = now.replicas - now.observed.foreign_pod_count(stable)
        size = max(min(_size(now, stable), now.replicas), room, 0)
    rollout = _started(now)
    if rollout.failed_at is None:
        rollout = rollout.model_copy(update={"failed_at": timestamp(now.now)})
    return Decision(
        stable=stable,
        serving=stable,
        sizes=retired | {stable: size},
        delete=delete,
        rollout=rollout,
        failed=not now.target_failed,
    )


def _started(now: Situation) -> RolloutStatus:
    """Return the rollout of the target: the one under way, or a new one."""
    running = now.rollout
    if running is not None and running.revision == now.target:
        retried = running.failed_at is not None and not now.target_failed and not _gave_up(now)
        if not retried:
            return running
    return RolloutStatus(revision=now.target, started_at=timestamp(now.now))


def _retired(
    now: Situation, keep: set[str], *, shrink: bool
) -> tuple[dict[str, int], tuple[str, ...]]:
    """Return the sizes of the revisions that go, and those that are gone."""
    sizes, delete = {}, []
    for name, workload in now.observed.workloads.items():
        if name in keep:
            continue
        if workload.replicas == 0 and workload.pods == 0 and not now.observed.pod_count(name):
            delete.append(name)
        else:
            sizes[name] = 0 if shrink else workload.replicas
    return sizes, tuple(delete)


def _gave_up(now: Situation) -> bool:
    """Return whether the target made no progress; an emptied Deployment tells of the last try."""
    workload = now.observed.workloads.get(now.target)
    return workload is not None and workload.replicas > 0 and workload.deadline_exceeded


def _available(now: Situation, revision: str) -> int:
    workload = now.observed.workloads.get(revision)
    return workload.available if workload else 0


def _size(now: Situation, revision: str) -> int:
    workload = now.observed.workloads.get(revision)
    return workload.replicas if workload else 0

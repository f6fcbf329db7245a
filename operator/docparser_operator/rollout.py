"""The rollout as a pure state machine: which revision serves, and how many pods each has.

Its state stands in `status.currentRevision` and `status.rollout` and in the
cluster itself, so a restart of the operator at any point goes on from there.
"""

from docparser_api.status import Reason, RolloutStatus

from docparser_operator.canary import advanced, is_through, stepping
from docparser_operator.clock import seconds_since, timestamp
from docparser_operator.placement import in_place_sizes, with_placement
from docparser_operator.situation import Decision, Failure, Situation
from docparser_operator.sizes import retired


def decide(now: Situation) -> Decision:
    """Return what should be, given what is."""
    complete = _is_complete(now)
    rollout = _started(now)
    if now.stable is None:
        begun = now.target in now.observed.workloads
        return _settled(now, rollout) if complete and begun else _rolling(now, rollout)
    if now.stable == now.target:
        return _settled(now, rollout)
    if (failure := _failure(now)) is not None or now.target_failed:
        return _failed(now, rollout, now.stable, failure)
    if now.has_steps:
        rollout = advanced(now, rollout)
        if not is_through(now, rollout):
            return stepping(now, rollout)
    # A bad verdict may have been lost with the operator that found it, so it is looked at again.
    seen = now.measured or not now.has_steps
    # In place of the last old pod, there is nothing left that a pause could hold.
    if complete and seen and (rollout.in_place or not now.requests.paused):
        return _settled(now, rollout)
    return stepping(now, rollout) if now.has_steps else _rolling(now, rollout)


def _failure(now: Situation) -> Failure | None:
    """Return why the target is to be given up now; None if it is not, or was before."""
    if now.target_failed:
        return None
    if now.requests.aborted:
        words = f"the annotation docparser.dev/abort asked for it{now.requests.aborted_by}"
        return Failure(Reason.ABORTED, words)
    if now.has_steps and now.analysis is not None and now.analysis.verdict == "Fail":
        bad = [m for m in now.analysis.measurements if m.verdict == "Fail"]
        pods = all(m.name in {"restarts", "outOfMemoryKills"} for m in bad)
        reason = Reason.TOO_MANY_RESTARTS if pods else Reason.ANALYSIS_FAILED
        return Failure(reason, "; ".join(f"{m.name}: {m.message}" for m in bad)[:1000])
    if _stalled_seconds(now) >= now.rules.progress_deadline_seconds:
        return Failure(Reason.DEADLINE_EXCEEDED, "no progress within progressDeadlineSeconds")
    return None


def _is_complete(now: Situation) -> bool:
    """Return whether the target may serve.

    With no pod wanted, one that was tried is unproven; it waits, if there is another to go back to.
    """
    running = now.rollout
    tried = running is not None and running.revision == now.target and running.pods_wanted > 0
    if not now.reachable or (now.replicas == 0 and tried and now.stable is not None):
        return False
    return now.available(now.target) >= now.replicas


def _rolling(now: Situation, rollout: RolloutStatus) -> Decision:
    """Return the decision while the target starts: in place, or beside the full stable revision."""
    stable = now.stable
    rollout = with_placement(now, rollout, now.replicas)
    if rollout.in_place:
        held = stable is not None and (now.requests.paused or not now.reachable)
        wanted = min(now.replicas, now.size(now.target)) if held else now.replicas
        sizes, serving, waiting = in_place_sizes(now, now.target, wanted)
    else:
        sizes, serving, waiting = retired(now.observed, {stable, now.target}), stable, 0
        sizes[now.target] = now.replicas
        if stable is None:
            serving = now.target
        else:
            sizes[stable] = now.replicas
    rollout = now.progressed(rollout, sizes[now.target])
    pause = now.requested_pause(rollout) if stable is not None else None
    rollout = rollout.model_copy(update={"pause": pause, "weight": now.weight(serving)})
    return Decision(
        stable=stable,
        serving=serving,
        sizes=sizes,
        delete=now.observed.empty_workloads(but={stable, now.target}),
        rollout=rollout,
        requeue_seconds=now.seconds_to_deadline(rollout, sizes[now.target]),
        waiting_for_pods=waiting,
    )


def _settled(now: Situation, rollout: RolloutStatus) -> Decision:
    """Return the decision once the target is the one that serves: the others retire."""
    target, waiting = now.target, 0
    serving: str | None = target
    if rollout.promoted_at is None or seconds_since(rollout.promoted_at, now.now) < 0:
        rollout = _promoted(now, rollout)
    left = now.rules.scale_down_delay_seconds - seconds_since(rollout.promoted_at or "", now.now)
    if rollout.completed_at is None:
        rollout = with_placement(now, rollout, now.replicas)
    if rollout.in_place and now.available(target) < now.replicas:
        sizes, serving, waiting = in_place_sizes(now, target, now.replicas)
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


def _promoted(now: Situation, rollout: RolloutStatus) -> RolloutStatus:
    update: dict[str, object] = {"promoted_at": timestamp(now.now), "weight": 100}
    update |= {"pods_wanted": 0, "available_pods": now.available(now.target), "pause": None}
    return rollout.model_copy(update=update)


def _failed(
    now: Situation, rollout: RolloutStatus, stable: str, failure: Failure | None
) -> Decision:
    """Return the decision after the target was given up: the stable revision gets its pods back.

    Requests stay with the target, too, until the stable revision is able to take them.
    """
    serving: str | None = stable
    waiting = 0
    rollout = with_placement(now, rollout, wanted=0)
    weight = 0
    if rollout.in_place:
        sizes, serving, waiting = in_place_sizes(now, stable, now.replicas)
    else:
        sizes = retired(now.observed, {stable}) | {stable: now.replicas}
        if _must_wait_for(now, stable):
            sizes[now.target] = now.size(now.target)
            serving, weight = (stable, rollout.weight) if now.exact else (None, 0)
    update: dict[str, object] = {"pause": None, "weight": weight or now.weight(serving)}
    if rollout.failed_at is None:
        update |= {"failed_at": timestamp(now.now), "analysis": now.analysis or rollout.analysis}
    return Decision(
        stable=stable,
        serving=serving,
        sizes=sizes,
        delete=now.observed.empty_workloads(but={stable}),
        rollout=rollout.model_copy(update=update),
        failure=failure,
        waiting_for_pods=waiting,
    )


def _must_wait_for(now: Situation, stable: str) -> bool:
    """Return whether requests would be lost if they all went to the stable revision at once."""
    able = now.is_able(stable) or not now.available(now.target)
    return now.serves_target and not able


def _started(now: Situation) -> RolloutStatus:
    """Return the rollout of the target: the one under way, or a new one."""
    running = now.rollout
    if running is not None and running.revision == now.target:
        retried = running.failed_at is not None and not now.target_failed
        if not retried:
            return running
    # The pods that serve may be those of a revision that was being rolled out in place.
    unfinished = running is not None and running.in_place and running.completed_at is None
    return RolloutStatus(
        revision=now.target,
        started_at=timestamp(now.now),
        without_steps=now.straight,
        in_place=unfinished and not now.is_able(now.stable),
    )


def _stalled_seconds(now: Situation) -> float:
    """Return how long pods of the target have failed to become available.

    The Deployment's own deadline is of no use: it ends for good once a Deployment was complete,
    be it with no pod at all.
    """
    running, available = now.rollout, now.available(now.target)
    if running is None or running.revision != now.target or running.failed_at is not None:
        return 0
    if running.progressed_at is None or available > running.available_pods:
        return 0
    if available >= min(now.size(now.target), now.replicas) and now.reachable:
        return 0
    return seconds_since(running.progressed_at, now.now)

"""A rollout that goes through steps: pods and share of the new revision at each. Pure."""

from dataclasses import replace

from docparser_api.status import RolloutStatus

from docparser_operator.clock import timestamp
from docparser_operator.placement import in_place_sizes, with_placement
from docparser_operator.situation import Decision, Situation
from docparser_operator.sizes import retired
from docparser_operator.steps import Demand, Walk

LOOK_SECONDS = 30.0
"""How often a route is compared with the wanted share, since nothing tells of its changes."""


def advanced(now: Situation, rollout: RolloutStatus) -> RolloutStatus:
    """Return `rollout` at the step that it has reached by now, with what brought it there."""
    reached = _walk(now, rollout).advanced(rollout)
    return reached.model_copy(update={"analysis": now.analysis})


def is_through(now: Situation, rollout: RolloutStatus) -> bool:
    """Return whether all steps are done, so that only the last pods are missing."""
    return rollout.step_index >= rollout.steps and now.replicas > 0


def stepping(now: Situation, rollout: RolloutStatus) -> Decision:
    """Return the decision while the target goes through its steps, `rollout` having advanced."""
    walk = _walk(now, rollout)
    rollout = with_placement(now, rollout, walk.demand(rollout.step_index).pods)
    walk = replace(walk, in_place=rollout.in_place)
    demand = walk.demand(rollout.step_index)
    if rollout.in_place:
        sizes, serving, waiting = in_place_sizes(now, now.target, demand.pods)
    else:
        sizes, serving, waiting = _beside(now, demand, walk.base), None, 0
    if serving != now.target:
        serving = _serving(now, demand, in_place=rollout.in_place)
    rollout = _progressed(now, rollout, sizes[now.target])
    weight = _weight(now, demand, serving)
    return Decision(
        stable=now.stable,
        serving=serving,
        sizes=sizes,
        delete=now.observed.empty_workloads(but={now.stable, now.target}),
        rollout=rollout.model_copy(update={"weight": weight}),
        requeue_seconds=_requeue_seconds(now, walk, rollout, sizes[now.target]),
        waiting_for_pods=waiting,
        stepping=True,
    )


def _walk(now: Situation, rollout: RolloutStatus) -> Walk:
    return Walk(
        rules=now.rules,
        replicas=now.replicas,
        base=_base(now),
        exact=now.exact,
        in_place=rollout.in_place,
        available=now.available(now.target),
        analysis=now.analysis,
        requests=now.requests,
        blocked=now.unsplit is not None,
        now=now.now,
    )


def _base(now: Situation) -> int:
    """Return the pods that the stable revision keeps.

    They do not become fewer meanwhile: an autoscaler sees a stable revision with less to do, but
    after an abort it has to take everything again.
    """
    if now.replicas == 0 or not now.serves_target:
        return now.replicas
    return max(now.replicas, now.size(now.stable or ""))


def _beside(now: Situation, demand: Demand, base: int) -> dict[str, int]:
    """Return sizes with the target beside the full stable revision."""
    sizes = retired(now.observed, {now.stable, now.target})
    return sizes | {now.stable or "": base, now.target: demand.pods}


def _serving(now: Situation, demand: Demand, *, in_place: bool) -> str | None:
    """Return the revision that the Service selects; None for all.

    All are selected only when pods of no third revision are left; in place they are kept because
    they are needed.
    """
    third = now.observed.pods_but({now.stable or "", now.target})
    if third and in_place:
        return None
    if now.exact or demand.weight == 0 or third:
        return now.stable
    if demand.weight == 100:  # noqa: PLR2004 (percent)
        enough = now.replicas > 0 and now.available(now.target) >= now.replicas
        return now.target if enough else None
    return None


def _weight(now: Situation, demand: Demand, serving: str | None) -> int:
    """Return the target's share of the requests, in percent."""
    if not now.exact:
        return now.weight(serving)
    if now.unsplit is not None:
        return 0
    return demand.weight if now.available(now.target) else 0


def _progressed(now: Situation, rollout: RolloutStatus, size: int) -> RolloutStatus:
    """Return `rollout` with its progress; while all pods of a step are there, nothing can stall.

    The deadline for a pod that is lost later counts from its loss.
    """
    available = now.available(now.target)
    if available >= size and rollout.step_started_at is not None:
        return rollout.model_copy(update={"progressed_at": None, "available_pods": available})
    if rollout.progressed_at is None:
        since = {"progressed_at": timestamp(now.now), "available_pods": available}
        rollout = rollout.model_copy(update=since)
    return now.progressed(rollout, size)


def _requeue_seconds(now: Situation, walk: Walk, rollout: RolloutStatus, size: int) -> float | None:
    times = [walk.seconds_left(rollout), now.seconds_to_deadline(rollout, size)]
    if now.exact:
        times.append(LOOK_SECONDS)
    return min((time for time in times if time is not None), default=None)

"""How many pods should run: a pure function of rules, measurements and the clock."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from docparser_api.autoscaling import ScalingReason

from docparser_operator.autoscaling.needs import lead_seconds, needs
from docparser_operator.autoscaling.schedules import Bounds
from docparser_operator.autoscaling.stabilisation import remembered, stabilised
from docparser_operator.autoscaling.values import (
    Decision,
    Demand,
    Freeze,
    Rules,
    State,
    Supply,
    Wish,
)

DEMAND_AGE_SECONDS: Final = 60.0
"""Age from which measurements say nothing about the present."""


@dataclass(frozen=True)
class _Answer:
    """A number of pods on its way through the limits, with the latest reason for it."""

    replicas: int
    reason: ScalingReason
    message: str


def decide(
    rules: Rules, previous: State, demand: Demand | None, supply: Supply, now: datetime
) -> Decision:
    """Return how many pods should run.

    Args:
        rules: what is asked for.
        previous: what the decision before this one has left; its pods are those asked for.
        demand: what there is to do; None where nothing could be measured.
        supply: what there is to do it with.
        now: the time.
    """
    lead = timedelta(seconds=lead_seconds(supply))
    bounds = rules.calendar.bounds(rules.min_replicas, rules.max_replicas, now, lead)
    blind = _blind(previous, demand, now)
    if supply.frozen is Freeze.ALL:
        words = f"{previous.replicas} pods stay until the rollout is resumed"
        held = _Answer(previous.replicas, ScalingReason.PAUSED, words)
        return _decision(held, previous.replicas, bounds, previous)
    if demand is None or blind is not None:
        held = _limited(blind or _missing(previous), previous, bounds, supply)
        left = replace(previous, replicas=held.replicas, idle_since=None)
        return _decision(held, previous.replicas, bounds, left)
    wanted = _wanted(rules, demand, supply, previous.replicas)
    idle_since = _idle_since(previous, demand, supply, now)
    steady = _steadied(rules, previous, wanted, now)
    awake = steady if bounds.least else _awake(rules, previous, steady, idle_since, now)
    answer = _limited(awake, previous, bounds, supply)
    state = State(
        replicas=answer.replicas,
        wished=Wish(wanted.replicas, now),
        wishes=remembered(rules, previous, wanted.replicas, now),
        idle_since=idle_since,
    )
    return _decision(answer, wanted.replicas, bounds, state)


def _decision(answer: _Answer, recommended: int, bounds: Bounds, state: State) -> Decision:
    return Decision(
        replicas=answer.replicas,
        reason=answer.reason,
        message=answer.message,
        recommended=recommended,
        least=bounds.least,
        most=bounds.most,
        state=replace(state, replicas=answer.replicas),
    )


def _missing(previous: State) -> _Answer:
    words = f"no pod could be measured; {previous.replicas} pods stay"
    return _Answer(previous.replicas, ScalingReason.METRICS_MISSING, words)


def _blind(previous: State, demand: Demand | None, now: datetime) -> _Answer | None:
    """Return the answer where the demand is not known; None where it is."""
    if demand is None:
        return _missing(previous)
    age = (now - demand.measured_at).total_seconds()
    if age <= DEMAND_AGE_SECONDS:
        return None
    words = f"the last measurement is older than {DEMAND_AGE_SECONDS:.0f} s"
    return _Answer(
        previous.replicas, ScalingReason.METRICS_OLD, f"{words}; {previous.replicas} pods stay"
    )


def _wanted(rules: Rules, demand: Demand, supply: Supply, current: int) -> _Answer:
    """Return what the demand alone needs."""
    rate = supply.pages_per_second or rules.pages_per_second
    answer = _known(rules, demand, supply, current, rate) if rate else None
    answer = answer or _unknown(rules, demand, supply, current)
    return _beside_full_memory(rules, demand, supply, current, answer)


def _known(rules: Rules, demand: Demand, supply: Supply, current: int, rate: float) -> _Answer:
    """Return what is needed where it is known what a pod can do."""
    found = needs(rules, demand, supply, current, rate)
    load = (
        f"{demand.queued_pages:.0f} pages wait, {60 * demand.arrival_pages_per_second:.0f} arrive "
        f"in a minute, and a pod reads {60 * rate:.0f} in a minute"
    )
    if found.growing > current:
        if current == 0:
            return _Answer(found.growing, ScalingReason.WAKING, load)
        rises = found.arriving >= found.waiting
        reason = ScalingReason.ARRIVALS_RISE if rises else ScalingReason.WORK_WAITS
        return _Answer(found.growing, reason, load)
    if current == 0 and demand.queued_pages + demand.running_pages > 0:
        return _Answer(1, ScalingReason.WAKING, load)
    if found.keeping < current:
        return _Answer(found.keeping, ScalingReason.DEMAND_FELL, load)
    return _Answer(current, ScalingReason.STEADY, "the pods keep up with the demand")


def _unknown(rules: Rules, demand: Demand, supply: Supply, current: int) -> _Answer:
    """Return what is needed where nobody knows what a pod can do: one more at a time."""
    if demand.is_nothing:
        words = "nothing waits, nothing is being read, and nothing arrives"
        return _Answer(0, ScalingReason.DEMAND_FELL, words)
    if current == 0:
        return _Answer(1, ScalingReason.WAKING, f"{demand.queued_pages:.0f} pages wait")
    if _is_late(rules, demand) and supply.ready >= current:
        words = "work waits too long, and it is not known what a pod can do: one more"
        return _Answer(current + 1, ScalingReason.WORK_WAITS, words)
    words = "it is not known yet how many pages a pod reads"
    return _Answer(current, ScalingReason.THROUGHPUT_UNKNOWN, words)


def _beside_full_memory(
    rules: Rules, demand: Demand, supply: Supply, current: int, answer: _Answer
) -> _Answer:
    """Return `answer`, or more where pods have no memory left for what waits too long.

    What waits for a moment is no sign: some engines take all their memory at the beginning.
    """
    used = supply.vram_used_fraction
    if used is None or used < rules.vram_high_fraction or not _is_late(rules, demand):
        return answer
    least = current if supply.ready < current else current + 1
    if answer.replicas >= least:
        return answer
    words = f"{100 * used:.0f} % of the planned GPU memory is in use while pages wait"
    return _Answer(least, ScalingReason.VRAM_HIGH, words)


def _is_late(rules: Rules, demand: Demand) -> bool:
    """Return whether something has waited for more than half of the target."""
    return demand.queued_pages > 0 and 2 * demand.oldest_wait_seconds > rules.target_wait_seconds


def _idle_since(previous: State, demand: Demand, supply: Supply, now: datetime) -> datetime | None:
    """Return since when pods that serve have nothing to do."""
    if not demand.is_nothing or supply.ready == 0:
        return None
    known = previous.idle_since or now
    return max(known, demand.active_at or known)


def _steadied(rules: Rules, previous: State, wanted: _Answer, now: datetime) -> _Answer:
    """Return what the windows leave of `wanted`."""
    allowed = stabilised(rules, previous, wanted.replicas, now)
    if allowed == wanted.replicas:
        return wanted
    words = f"{wanted.replicas} pods are enough now, but more were needed a short time ago"
    if allowed < wanted.replicas:
        words = f"{wanted.replicas} pods are needed now, but fewer were a short time ago"
    return _Answer(allowed, ScalingReason.STABILISING, words)


def _awake(
    rules: Rules, previous: State, answer: _Answer, idle_since: datetime | None, now: datetime
) -> _Answer:
    """Return `answer`, but keep the last pod until it has had nothing to do for long enough."""
    if answer.replicas > 0 or previous.replicas == 0:
        return answer
    if idle_since is not None:
        idle = (now - idle_since).total_seconds()
        if idle >= rules.idle_seconds:
            words = f"there was nothing to do for {rules.idle_seconds:.0f} s"
            return _Answer(0, ScalingReason.IDLE, words)
    words = f"the last pod goes after {rules.idle_seconds:.0f} s without work"
    return _Answer(1, ScalingReason.STEADY, words)


def _limited(answer: _Answer, previous: State, bounds: Bounds, supply: Supply) -> _Answer:
    """Return `answer` within the bounds, the room in the cluster, and what a rollout allows."""
    found = _frozen(_bounded(answer, bounds), previous, supply)
    if found.replicas <= previous.replicas or supply.schedulable is None:
        return found
    room = max(previous.replicas, supply.pods + supply.schedulable)
    if found.replicas <= room:
        return found
    words = f"{found.replicas} pods are needed, but the cluster has room for {room}"
    return _Answer(room, ScalingReason.CLUSTER_FULL, words)


def _bounded(answer: _Answer, bounds: Bounds) -> _Answer:
    by = f", by schedule {' and '.join(bounds.schedules)}" if bounds.schedules else ""
    if answer.replicas < bounds.least:
        words = f"at least {bounds.least} pods run{by}"
        return _Answer(bounds.least, ScalingReason.AT_MINIMUM, words)
    if answer.replicas > bounds.most:
        words = f"{answer.replicas} pods are needed, but at most {bounds.most} may run{by}"
        return _Answer(bounds.most, ScalingReason.AT_MAXIMUM, words)
    return answer


def _frozen(answer: _Answer, previous: State, supply: Supply) -> _Answer:
    if supply.frozen is Freeze.NOTHING or answer.replicas >= previous.replicas:
        return answer
    words = f"{answer.replicas} pods are enough, but none goes while a rollout is under way"
    return _Answer(previous.replicas, ScalingReason.ROLLING_OUT, words)

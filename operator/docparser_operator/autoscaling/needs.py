"""How many pods the demand needs, by rate of arrival and by what waits."""

import math
from dataclasses import dataclass
from typing import Final

from docparser_operator.autoscaling.values import Demand, Rules, Supply

LEAD_TIME_SECONDS: Final = 60.0
"""Lead time until one was learned."""
LEAST_BUSY: Final = 0.85
"""Share of their time for which pods are busy, below which fewer of them are enough."""
BUSY: Final = 0.95
"""The share that a change leads to."""
MOST_BUSY: Final = 1.05
"""The share above which more are needed, if nothing waits yet. Between the two nothing changes:
a rate is not known better, and what pods fail to keep up with is seen by what waits."""
LATE_SHARE: Final = 0.25
"""Part of the target wait for which pods are kept for work that is late; and part of the lead time
that a pod which takes longer than that still needs."""
CATCH_UP_SHARE: Final = 0.5
"""Part of the target wait in which new pods are to read what will be late in any case."""
GREATEST_GROWTH: Final = 2.0
"""How many times the present rate of arrival is believed at most to come within a lead time."""


@dataclass(frozen=True)
class Needs:
    """Pods that the demand needs.

    Attributes:
        waiting: to read what waits, or will by the time that a new pod serves, within the target.
        arriving: to keep up with what arrives.
        keeping: of those that there are, the ones that cannot be missed.
    """

    waiting: int
    arriving: int
    keeping: int

    @property
    def growing(self) -> int:
        """The pods without which something comes too late."""
        return max(self.waiting, self.arriving)


def needs(rules: Rules, demand: Demand, supply: Supply, current: int, rate: float) -> Needs:
    """Return what `demand` needs where `current` pods are asked for.

    Args:
        rules: the target wait.
        demand: what there is to do.
        supply: pods, with their lead time.
        current: pods that are asked for; those that do not exist yet count as just begun.
        rate: pages per second of a busy pod, above 0.
    """
    lead = lead_seconds(supply)
    coming = min(
        demand.arrival_pages_per_second + max(0.0, demand.arrival_growth) * lead,
        GREATEST_GROWTH * demand.arrival_pages_per_second,
    )
    pods = max(current, supply.pods)
    waiting = _to_clear(rules, demand, supply, pods, rate)
    busy = max(_to_finish(rules, demand, rate), _kept_busy(demand, pods, rate))
    return Needs(
        waiting=waiting,
        arriving=_to_keep_up(coming, pods, rate),
        # Where pods are still coming, more are needed than would be if all of them served.
        keeping=min(pods, max(busy, waiting)),
    )


def lead_seconds(supply: Supply) -> float:
    """Return the lead time to plan with, in seconds."""
    known = supply.lead_time_seconds
    return LEAD_TIME_SECONDS if known is None else known


def _to_clear(rules: Rules, demand: Demand, supply: Supply, pods: int, rate: float) -> int:
    """Return the pods that read in time what will be left when a pod asked for now serves."""
    lead = lead_seconds(supply)
    work = demand.queued_pages + demand.arrival_pages_per_second * lead
    unborn = (0.0,) * max(0, pods - supply.pods)
    until = [_still_to_come(lead, age) for age in (*supply.starting, *unborn)]
    capacity = rate * (supply.ready * lead + sum(max(0.0, lead - rest) for rest in until))
    left = work - capacity
    if left <= 0:
        return 0
    time = _time_left(rules, demand.oldest_wait_seconds + lead, CATCH_UP_SHARE)
    return math.ceil(left / (rate * time))


def _still_to_come(lead: float, age: float) -> float:
    """Return how long a pod of `age` seconds still needs; one that is late, for a while."""
    return max(lead - age, LATE_SHARE * lead)


def _to_finish(rules: Rules, demand: Demand, rate: float) -> int:
    """Return the pods without which what waits now would be late."""
    time = _time_left(rules, demand.oldest_wait_seconds, LATE_SHARE)
    least = 1 if demand.queued_pages + demand.running_pages > 0 else 0
    return max(least, math.ceil(demand.queued_pages / (rate * time)))


def _time_left(rules: Rules, waited: float, least_share: float) -> float:
    target = rules.target_wait_seconds
    return max(target - waited, least_share * target)


def _to_keep_up(arriving: float, pods: int, rate: float) -> int:
    """Return the pods that keep up, if `pods` do not."""
    if arriving <= pods * rate * MOST_BUSY:
        return 0
    return math.ceil(arriving / (rate * BUSY))


def _kept_busy(demand: Demand, pods: int, rate: float) -> int:
    """Return the pods that remain of `pods` so that those are busy, but not too busy."""
    arriving = demand.arrival_pages_per_second
    if arriving > pods * rate * LEAST_BUSY:
        return pods
    return math.ceil(arriving / (rate * BUSY))

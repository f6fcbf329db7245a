"""What is to be measured for one DocParserDeployment, and what was."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final

from docparser_api.autoscaling import ScalingReason

from docparser_operator.autoscaling.decision import DEMAND_AGE_SECONDS, decide
from docparser_operator.autoscaling.values import Decision, Demand, Rules, State, Supply

_LOUD: Final = frozenset(
    {
        ScalingReason.AT_MAXIMUM,
        ScalingReason.CLUSTER_FULL,
        ScalingReason.METRICS_MISSING,
        ScalingReason.METRICS_OLD,
        ScalingReason.PAUSED,
        ScalingReason.SCHEDULE_INVALID,
    }
)
"""Reasons that are told even where the number of pods stays as it is."""

RECOUNT_SECONDS: Final = 30.0
"""Age from which nothing is known of the room in the cluster."""


@dataclass(frozen=True)
class Load:
    """What was measured.

    Attributes:
        demand: what there is to do; None before the pods were looked at.
        pages_per_second: of one busy pod; None until that was measured.
        vram_used: share of the planned GPU memory, of the fullest pod.
        state: what the last decision has left; None where it is to be taken from the status.
        remaining: pages that each pod has left to read, by uid.
        begun: when it was first tried to measure; None before that.
    """

    demand: Demand | None = None
    pages_per_second: float | None = None
    vram_used: float | None = None
    state: State | None = None
    begun: datetime | None = None
    remaining: Mapping[str, float] = field(default_factory=dict)

    def is_too_early(self, now: datetime) -> bool:
        """Return whether it cannot be said yet that nothing can be measured.

        Until then what another operator has found stands, or each restart would be a change.
        """
        if self.demand is not None:
            return False
        return self.begun is None or (now - self.begun).total_seconds() < DEMAND_AGE_SECONDS

    def remaining_at(self, now: datetime) -> Mapping[str, float]:
        """Return what pods have left to read; nothing where it was measured too long ago."""
        if self.demand is None:
            return {}
        age = (now - self.demand.measured_at).total_seconds()
        return self.remaining if age < DEMAND_AGE_SECONDS else {}

    def supply(self, pods: Supply) -> Supply:
        """Return `pods` with what was measured of them."""
        return Supply(
            ready=pods.ready,
            starting=pods.starting,
            pages_per_second=self.pages_per_second or pods.pages_per_second,
            lead_time_seconds=pods.lead_time_seconds,
            vram_used_fraction=self.vram_used,
            schedulable=pods.schedulable,
            frozen=pods.frozen,
        )


@dataclass(frozen=True)
class ScalingSubject:
    """What is to be measured, and what is known besides.

    Attributes:
        pods: uid and address of those that serve.
        is_shared: whether all have one queue, of which each of them tells.
        supply: the pods at `at`, without what is measured.
        state: what the decision at `at` has left.
        reason: why so many pods are asked for, as it stands in the status.
        decides: whether that is to be decided at all, rather than by another autoscaler.
    """

    rules: Rules
    pods: tuple[tuple[str, str], ...]
    is_shared: bool
    supply: Supply
    at: datetime
    state: State
    reason: ScalingReason
    decides: bool = True

    def decision(self, load: Load, now: datetime) -> Decision:
        """Return what would be decided from `load`, if nothing has changed since but the time.

        After a while the cluster may have room again, so that it is worth while to count anew.
        """
        passed = (now - self.at).total_seconds()
        supply = replace(
            load.supply(self.supply),
            starting=tuple(age + passed for age in self.supply.starting),
            schedulable=None if passed >= RECOUNT_SECONDS else self.supply.schedulable,
        )
        return decide(self.rules, load.state or self.state, load.demand, supply, now)


def is_news(replicas: int, reason: ScalingReason, decision: Decision) -> bool:
    """Return whether `decision` differs from what is told in a way that matters."""
    if decision.replicas != replicas:
        return True
    return decision.reason != reason and bool({reason, decision.reason} & _LOUD)

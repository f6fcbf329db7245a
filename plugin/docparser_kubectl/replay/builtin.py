"""The operator's own autoscaler: the same function that it runs, fed with what it would see."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Final

from docparser_operator.autoscaling.arrivals import Arrivals
from docparser_operator.autoscaling.decision import decide
from docparser_operator.autoscaling.values import Demand, Rules, State, Supply

from docparser_kubectl.replay.values import Setup, View

LOOK_SECONDS: Final = 5.0
"""Time between two measurements of the operator."""


class Builtin:
    """Decides as the operator does, once it has learned speed and lead time of the pods."""

    def __init__(self, rules: Rules, setup: Setup, begin: datetime) -> None:
        """Follow `rules`; the trace begins at `begin`."""
        self._rules, self._setup, self._begin = rules, setup, begin
        self._state = State(rules.min_replicas)
        self._arrivals = Arrivals()

    @property
    def interval(self) -> float:
        """Return the seconds between two looks."""
        return LOOK_SECONDS

    @property
    def is_woken(self) -> bool:
        """Return that an arrival wakes it: the gateway tells the operator."""
        return True

    def replicas(self, view: View) -> int:
        """Return the pods that should run."""
        now = self._begin + timedelta(seconds=view.now)
        if not self._arrivals.counts or now > self._arrivals.counts[-1].at:
            self._arrivals = self._arrivals.plus(now, view.arrived_pages)
        demand = Demand(
            queued_pages=view.queued_pages,
            running_pages=view.running_pages,
            oldest_wait_seconds=view.oldest_wait,
            arrival_pages_per_second=self._arrivals.pages_per_second,
            arrival_growth=self._arrivals.growth,
            active_at=self._arrivals.active_at,
            measured_at=now,
        )
        supply = Supply(
            ready=view.ready,
            starting=view.starting,
            pages_per_second=self._setup.pages_per_second,
            lead_time_seconds=self._setup.lead_seconds,
            schedulable=view.free_room,
        )
        previous = replace(self._state, replicas=view.asked)
        decision = decide(self._rules, previous, demand, supply, now)
        self._state = decision.state
        return decision.replicas


MORNING: Final = datetime(2026, 1, 5, tzinfo=UTC)
"""Midnight of a Monday, at which a trace begins."""

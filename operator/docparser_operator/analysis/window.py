"""Adds up what pods have counted since a comparison began."""

from dataclasses import dataclass, replace
from typing import Literal

from docparser_operator.analysis.evidence import Evidence, Totals

Side = Literal["canary", "stable"]


@dataclass(frozen=True)
class _Pod:
    """The counters of one pod.

    Attributes:
        kept: what its earlier processes counted within the window.
        base: where the counting of its present process starts.
        last: its counters as they were last seen.
    """

    kept: Totals
    base: Totals
    last: Totals

    def share(self) -> Totals:
        """Return what the pod counted within the window."""
        return self.kept + (self.last - self.base)

    def seen(self, totals: Totals) -> "_Pod":
        """Return the pod after another look."""
        if self.last.is_before(totals):
            return replace(self, last=totals)
        # Counters never go down: this is another process, which began at zero.
        return _Pod(kept=self.share(), base=Totals(), last=totals)


class Window:
    """A time over which two revisions are compared.

    Pods that vanish keep what they contributed.

    Args:
        began_seconds: when it began, on the clock of all other times.
    """

    def __init__(self, began_seconds: float) -> None:
        self._began_seconds = began_seconds
        self._last_seconds = began_seconds
        self._pods: dict[tuple[Side, str], _Pod] = {}

    def add(
        self, pod_uid: str, side: Side, totals: Totals, at_seconds: float, *, born_in_window: bool
    ) -> None:
        """Take note of a pod's counters.

        The first look at a pod is where its counting starts, except for a pod that was created
        within the window: all that it counted belongs there.
        """
        self._last_seconds = max(self._last_seconds, at_seconds)
        known = self._pods.get((side, pod_uid))
        if known is None:
            base = Totals() if born_in_window else totals
            self._pods[side, pod_uid] = _Pod(kept=Totals(), base=base, last=totals)
        else:
            self._pods[side, pod_uid] = known.seen(totals)

    def evidence(self, now_seconds: float) -> Evidence:
        """Return the sums of both revisions."""
        return Evidence(
            canary=self._sum("canary"),
            stable=self._sum("stable"),
            seconds=max(now_seconds, self._last_seconds) - self._began_seconds,
        )

    def _sum(self, side: Side) -> Totals:
        shares = (pod.share() for (its, _uid), pod in self._pods.items() if its == side)
        return sum(shares, Totals())

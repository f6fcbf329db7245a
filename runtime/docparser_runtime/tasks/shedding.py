"""Under pressure pages of low priority are looked at less closely, so that the queue gets shorter.

How full the queue is decides, and nothing else: every worker of it comes to the same answer. What
was lowered rises again only when the queue is clearly emptier, so that it does not go up and down
with every document.
"""

from collections.abc import Iterable
from typing import Final

from docparser_api.runtime import SheddingConfig, TasksConfig

from docparser_runtime.engine.tiers import ORDER, Tier
from docparser_runtime.queue.values import Backlog
from docparser_runtime.task_metrics import TaskMetrics

_PERCENT: Final = 100


def limit(fill_percent: float, before: Tier, config: SheddingConfig) -> Tier:
    """Return the highest tier of pages of low priority, which was `before` until now."""
    if _holds(fill_percent, config.low_from_percent, config, is_on=before is Tier.LOW):
        return Tier.LOW
    is_lowered = before is not Tier.HIGH
    if _holds(fill_percent, config.medium_from_percent, config, is_on=is_lowered):
        return Tier.MEDIUM
    return Tier.HIGH


def _holds(fill_percent: float, from_percent: int, config: SheddingConfig, *, is_on: bool) -> bool:
    if from_percent == 0:
        return False
    return fill_percent >= from_percent - (config.relief_percent if is_on else 0)


class Shedding:
    """The limit as it stands."""

    def __init__(self, config: TasksConfig, metrics: TaskMetrics) -> None:
        self._config = config
        self._metrics = metrics
        self._at_most = Tier.HIGH

    def note(self, backlog: Iterable[Backlog]) -> None:
        """Take note of what waits and runs in the whole queue."""
        pages = sum(track.queued_pages + track.running_pages for track in backlog)
        fill = pages / self._config.max_queued_pages * _PERCENT
        self._at_most = limit(fill, self._at_most, self._config.shedding)
        self._metrics.shedding.set(len(ORDER) - 1 - ORDER.index(self._at_most))

    def at_most(self) -> Tier:
        """Return the highest tier that pages of low priority get at the moment."""
        return self._at_most

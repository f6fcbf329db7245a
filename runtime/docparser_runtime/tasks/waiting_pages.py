"""Tells at once that more pages wait than somebody knows of, however many ask."""

import asyncio
import math
from collections.abc import Callable, Sequence
from typing import Final, Protocol

from docparser_runtime.queue.values import Backlog
from docparser_runtime.task_metrics import TaskMetrics

_BETWEEN_SECONDS: Final = 0.5
"""Shortest time between two counts: a queue can grow a hundred times in a second."""
_BLIND_SECONDS: Final = 5.0
"""Age from which a count is not believed, since a notice can be lost."""
_LEAVING_SECONDS: Final = 1.0
"""Longest time for which a process that leaves is kept."""


class Counted(Protocol):
    """What a queue must be able to do, as `Queue` says."""

    async def backlog(self) -> Sequence[Backlog]:
        """Return how much waits on each track."""
        ...

    async def wait_for_work(self, timeout_seconds: float, heard: int | None = None) -> int:
        """Return soon after there may be a job to claim, with the number of changes heard."""
        ...


class WaitingPages:
    """Counts the pages that wait in the whole queue. For one event loop, in which it is made.

    What it counts is shown in the metrics, too, so that who reads these then finds the same.

    Args:
        queue: where they wait.
        metrics: where they are shown.
        is_leaving: whether nobody is to be kept waiting any more.
    """

    def __init__(
        self, queue: Counted, metrics: TaskMetrics, is_leaving: Callable[[], bool]
    ) -> None:
        self._queue = queue
        self._metrics = metrics
        self._is_leaving = is_leaving
        self._clock = asyncio.get_running_loop().time
        self._counting = asyncio.Lock()
        self._pages = 0
        self._heard = -1
        self._counted_at = -math.inf

    async def above(self, pages: int, wait_seconds: float) -> int:
        """Return how many wait: as soon as they are more than `pages`, or after so long.

        Raises:
            QueueUnavailable: the database does not answer.
        """
        until = self._clock() + wait_seconds
        while True:
            heard = await self._queue.wait_for_work(0)
            found = await self._count(heard)
            left = until - self._clock()
            if found > pages or left <= 0 or self._is_leaving():
                return found
            await self._queue.wait_for_work(min(left, _LEAVING_SECONDS), heard)

    async def _count(self, heard: int) -> int:
        """Return how many wait, as it was after what was `heard`."""
        async with self._counting:
            age = self._clock() - self._counted_at
            if heard > self._heard or age >= _BLIND_SECONDS:
                await asyncio.sleep(_BETWEEN_SECONDS - age)
                self._heard = await self._queue.wait_for_work(0)
                backlog = await self._queue.backlog()
                self._counted_at = self._clock()
                self._metrics.show_backlog(backlog)
                self._pages = sum(track.queued_pages for track in backlog)
        return self._pages

"""Runs reconcile for every key that was woken up, while this process leads."""

import asyncio
import random
from collections.abc import Awaitable, Callable

import structlog

from docparser_operator.errors import ApiError, ConflictError, NotLeaderError, UnavailableError
from docparser_operator.kinds import Key
from docparser_operator.metrics import Metrics
from docparser_operator.workqueue import WorkQueue

log = structlog.get_logger(__name__)

CONFLICT_RETRY_SECONDS = 0.1
NOT_LEADER_RETRY_SECONDS = 1.0
FIRST_BACKOFF_SECONDS = 0.5
LONGEST_BACKOFF_SECONDS = 300.0
"""At most 12 tries an hour for a key that always fails."""


class Controller:
    """Workers on one queue.

    Args:
        reconcile: brings one key nearer to its spec.
        metrics: where durations and outcomes are counted.
        workers: keys that are worked on at the same time.
    """

    def __init__(
        self,
        reconcile: Callable[[Key], Awaitable[float | None]],
        metrics: Metrics,
        workers: int,
    ) -> None:
        self.queue: WorkQueue[Key] = WorkQueue()
        self._reconcile = reconcile
        self._metrics = metrics
        self._workers = workers
        self._failures: dict[Key, int] = {}

    async def run(self) -> None:
        """Work until cancelled."""
        async with asyncio.TaskGroup() as group:
            for _ in range(self._workers):
                group.create_task(self._work())

    async def _work(self) -> None:
        while True:
            key = await self.queue.take()
            self._metrics.queue_depth.set(len(self.queue))
            try:
                await self._handle(key)
            finally:
                self.queue.done(key)

    async def _handle(self, key: Key) -> None:
        """Reconcile `key` and see to it that it comes again when it must."""
        with self._metrics.reconcile_duration.time():
            outcome, again = await self._outcome(key)
        self._metrics.reconciles.labels(outcome).inc()
        if outcome == "success":
            self._failures.pop(key, None)
        if again is not None:
            self.queue.add_after(key, again)

    async def _outcome(self, key: Key) -> tuple[str, float | None]:
        """Return how the pass over `key` ended, and after how many seconds it comes again."""
        try:
            return "success", await self._reconcile(key)
        except ConflictError:
            return "conflict", self._conflict_seconds(key)
        except UnavailableError as error:
            log.warning("API server unavailable", key=str(key), error=str(error))
            return "unavailable", max(self._backoff(key), error.retry_after_seconds or 0)
        except NotLeaderError:
            # The lease may be renewed yet, and then nobody else brings the key back.
            return "not_leader", NOT_LEADER_RETRY_SECONDS
        except ApiError as error:
            log.warning("API server refused", key=str(key), status=error.status)
            return "refused", self._backoff(key)
        except Exception:
            # A fault of ours with one object must not stop the others.
            log.exception("reconcile failed", key=str(key))
            return "error", self._backoff(key)

    def _conflict_seconds(self, key: Key) -> float:
        """Return a short wait for the watch to bring the newer version, longer if it does not."""
        return max(CONFLICT_RETRY_SECONDS, self._backoff(key) / 5)

    def _backoff(self, key: Key) -> float:
        failures = self._failures[key] = self._failures.get(key, 0) + 1
        longest: float = min(
            LONGEST_BACKOFF_SECONDS, FIRST_BACKOFF_SECONDS * 2.0 ** min(failures, 20)
        )
        return longest * random.uniform(0.5, 1.0)  # noqa: S311 (spread, not secrecy)

"""Empties the outbox."""

import asyncio
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from prometheus_client import Counter

from docparser_runtime.callbacks.base import Due, Outbox
from docparser_runtime.callbacks.schedule import Schedule
from docparser_runtime.callbacks.sending import (
    TIMEOUT_SECONDS,
    CallbackSender,
    DeliveryFailed,
    body_of,
)
from docparser_runtime.errors import DocParserError
from docparser_runtime.logs import Log

_AT_ONCE: Final = 16
"""Callbacks that are under way at the same time: slow receivers do not hold up the others."""
_RESTS_PER_LOOK: Final = 20
_LONGEST_PAUSE_SECONDS: Final = 10.0
_LEASE_SECONDS: Final = 3 * TIMEOUT_SECONDS


@dataclass(frozen=True)
class Books:
    """Where is noted what becomes of callbacks.

    Attributes:
        attempts: counts attempts by the label `outcome`.
    """

    log: Log
    attempts: Counter


class Dispatcher:
    """Delivers what is due. Several processes may do so for one outbox.

    It looks again after `pause_seconds` when there was nothing more to do, or later when looks
    take long.
    """

    def __init__(
        self,
        outbox: Outbox,
        sender: CallbackSender,
        books: Books,
        schedule: Schedule = Schedule(),  # noqa: B008 (it never changes)
        chance: Callable[[], float] = random.random,
        pause_seconds: float = 1.0,
    ) -> None:
        self._outbox = outbox
        self._sender = sender
        self._log = books.log
        self._attempts = books.attempts
        self._schedule = schedule
        self._chance = chance
        self._pause_seconds = pause_seconds
        self._look_seconds = 0.0

    async def run(self) -> None:
        """Go on until cancelled; what was under way then is tried again after a while."""
        while True:
            found = 0
            try:
                found = await self.turn()
            except DocParserError as error:
                self._log.warning("callbacks_wait", code=error.code)
            if found < _AT_ONCE:
                # A look costs more the more tasks with callbacks are queued.
                rest = min(_RESTS_PER_LOOK * self._look_seconds, _LONGEST_PAUSE_SECONDS)
                await asyncio.sleep(max(self._pause_seconds, rest))

    async def turn(self) -> int:
        """Try what is due now, and return how many that were.

        Raises:
            QueueUnavailable: the outbox does not answer. What it did not hear of is sent again.
        """
        loop = asyncio.get_running_loop()
        began = loop.time()
        found = await self._outbox.due(_AT_ONCE, _LEASE_SECONDS)
        self._look_seconds = loop.time() - began
        async with asyncio.TaskGroup() as group:
            tried = [group.create_task(self._outcome(due)) for due in found]
        for due, failure in zip(found, [task.result() for task in tried], strict=True):
            await self._note(due, failure)
        return len(found)

    async def _outcome(self, due: Due) -> str | None:
        """Return why the receiver has not taken it; None when it has."""
        try:
            await self._sender.deliver(due.url, body_of(due), due.delivery_id)
        except DeliveryFailed as failure:
            return str(failure)
        except Exception:  # noqa: BLE001 (one that nobody foresaw must not hold up all others)
            self._log.exception("callback_failed", task=due.job_id)
            return "internal_error"
        return None

    async def _note(self, due: Due, failure: str | None) -> None:
        told = {"task": due.job_id, "attempts": due.attempts}
        if failure is None:
            self._attempts.labels("delivered").inc()
            self._log.info("callback_delivered", **told)
            await self._outbox.delivered(due)
            return
        pause = self._schedule.pause_seconds(due.attempts, due.elapsed_seconds, self._chance())
        self._attempts.labels("given_up" if pause is None else "failed").inc()
        if pause is None:
            self._log.error("callback_given_up", reason=failure, **told)
        else:
            self._log.warning("callback_failed", reason=failure, retry_seconds=pause, **told)
        await self._outbox.failed(due, pause)

"""How often and how long a failed read is tried again."""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from docparser_runtime.weights.errors import InterruptedRead

T = TypeVar("T")


@dataclass(frozen=True)
class Retrying:
    """How patient to be.

    Attributes:
        tries: most attempts.
        first_pause_seconds: pause after the first failure; each further one is twice as long.
        longest_seconds: time after the first failure in which a new attempt may begin.
    """

    tries: int = 5
    first_pause_seconds: float = 0.5
    longest_seconds: float = 30.0


class Patience:
    """The patience that is left for one read."""

    def __init__(self, retrying: Retrying, clock: Callable[[], float] = time.monotonic) -> None:
        self._retrying = retrying
        self._clock = clock
        self._failures = 0
        self._ends_at: float | None = None

    async def after(self, error: InterruptedRead) -> None:
        """Wait before the next attempt.

        Raises:
            InterruptedRead: `error` itself, when there was one attempt too many.
        """
        self._failures += 1
        now = self._clock()
        if self._ends_at is None:
            self._ends_at = now + self._retrying.longest_seconds
        # Connections that broke together must not come back together.
        pause = self._retrying.first_pause_seconds * 2 ** (self._failures - 1)
        pause *= random.uniform(0.5, 1.0)  # noqa: S311 (no secret)
        if self._failures >= self._retrying.tries or now + pause > self._ends_at:
            raise error
        await asyncio.sleep(pause)


async def patiently(work: Callable[[], Awaitable[T]], retrying: Retrying) -> T:
    """Return what `work` returns, tried again after failures that may pass.

    Raises:
        WeightsError: it failed for good, or too often.
    """
    patience = Patience(retrying)
    while True:
        try:
            return await work()
        except InterruptedRead as error:
            await patience.after(error)

"""How often and how long a client tries again."""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass

from docparser_runtime.client.errors import BusyError, UnreachableError


@dataclass(frozen=True)
class Retrying:
    """How patient to be with a service that is busy or cannot be reached.

    Attributes:
        tries: most attempts, the first one included.
        first_pause_seconds: pause after the first failure; each further one is twice as long,
            and the service may ask for a longer one.
        longest_pause_seconds: longest pause that is chosen here.
        patience_seconds: time after the first failure in which another attempt may begin.
    """

    tries: int = 10
    first_pause_seconds: float = 0.5
    longest_pause_seconds: float = 15.0
    patience_seconds: float = 90.0


@dataclass(frozen=True)
class Chance:
    """Time and luck.

    Attributes:
        clock: seconds that never go back.
        luck: a number from 0 to 1, each time another.
    """

    clock: Callable[[], float] = time.monotonic
    luck: Callable[[], float] = random.random


class Patience:
    """What is left of the patience for one answer."""

    def __init__(self, retrying: Retrying, chance: Chance) -> None:
        self._retrying = retrying
        self._chance = chance
        self._failures = 0
        self._ends_at = 0.0

    def renew(self) -> None:
        """Forget all failures, since something has been achieved."""
        self._failures = 0

    def pause_seconds(self, error: UnreachableError | BusyError) -> float:
        """Return the pause before the next attempt.

        Raises:
            UnreachableError: `error` itself, when there was one attempt too many.
            BusyError: the same.
        """
        now = self._chance.clock()
        if self._failures == 0:
            self._ends_at = now + self._retrying.patience_seconds
        self._failures += 1
        pause = self._pause(error)
        if self._failures >= self._retrying.tries or now + pause > self._ends_at:
            raise error
        return pause

    def _pause(self, error: UnreachableError | BusyError) -> float:
        usual = self._retrying.first_pause_seconds * 2.0 ** (self._failures - 1)
        usual = min(usual, self._retrying.longest_pause_seconds)
        asked = (error.retry_after_seconds or 0.0) if isinstance(error, BusyError) else 0.0
        # Clients that were refused together must not come back together.
        return max(asked, usual / 2) + self._chance.luck() * usual / 2

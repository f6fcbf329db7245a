"""Waiting for something to change, instead of asking again and again."""

import asyncio
from enum import StrEnum


class Kind(StrEnum):
    """What changed."""

    WORK = "work"
    """There may be a job to claim."""
    PROGRESS = "progress"
    """A job's state or pages changed."""


class Changes:
    """Counts what this process hears of changes, and wakes those who wait for them.

    A change may be heard more than once; it is a hint to look, not a message.
    """

    def __init__(self) -> None:
        self._heard = dict.fromkeys(Kind, 0)
        self._news = {kind: asyncio.Event() for kind in Kind}
        self.waiting = 0
        """How many wait now."""

    def heard(self, kind: Kind) -> int:
        """Return how many changes of that kind were heard so far."""
        return self._heard[kind]

    def tell(self, *kinds: Kind) -> None:
        """Wake those who wait for a change of one of these kinds."""
        for kind in kinds:
            self._heard[kind] += 1
            self._news[kind].set()
            self._news[kind] = asyncio.Event()

    async def wait(self, kind: Kind, timeout_seconds: float, heard: int | None = None) -> int:
        """Return the number heard, once it is not `heard` (now, by default) or after the timeout.

        Who passes the number heard before its last look misses nothing between look and wait.
        """
        if heard is None or heard == self._heard[kind]:
            self.waiting += 1
            try:
                async with asyncio.timeout(timeout_seconds):
                    await self._news[kind].wait()
            except TimeoutError:
                pass
            finally:
                self.waiting -= 1
        return self._heard[kind]

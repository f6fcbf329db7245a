"""How long a queue needs: until it has room again, and until what waits has been read."""

import asyncio
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from docparser_runtime.queue.base import Submitting

_MEASURED_SECONDS: Final = 60.0
_KEPT_SECONDS: Final = 1.0
"""The queue is asked once in this time, however many want to know."""
_UNKNOWN_SECONDS: Final = 30
_LONGEST_SECONDS: Final = 3600
_ROOM: Final = 0.1
"""Share of the queue that is to be read before it is worth while to come again."""


@dataclass(frozen=True)
class Progress:
    """How a queue is worked off.

    Attributes:
        pages: that wait or are being read.
        pages_per_second: that were read lately.
        wake_up_seconds: what workers take to come where there are none; None where nobody knows.
    """

    pages: int = 0
    pages_per_second: float = 0.0
    wake_up_seconds: int | None = None

    def seconds_until_room(self) -> int:
        """Return after how many seconds a tenth of the pages will have been read."""
        return self._seconds(self.pages * _ROOM)

    def seconds_until_read(self) -> int:
        """Return after how many seconds all of them will have been read."""
        return self._seconds(self.pages)

    def _seconds(self, pages: float) -> int:
        if self.pages_per_second <= 0:
            return self.wake_up_seconds or _UNKNOWN_SECONDS
        return min(max(math.ceil(pages / self.pages_per_second), 1), _LONGEST_SECONDS)


class Pace:
    """Measures how fast the queue is worked off.

    Args:
        queue: the queue.
        wake_up: returns what workers take to come where there are none; called in a thread.
        clock: seconds that never go back.
    """

    def __init__(
        self,
        queue: Submitting,
        wake_up: Callable[[], int | None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._queue = queue
        self._wake_up = wake_up
        self._clock = clock
        self._progress = Progress()
        self._asked_at = -math.inf

    async def retry_after(self) -> dict[str, str]:
        """Return the header that tells when a tenth of what waits will have been read."""
        return _header((await self._known()).seconds_until_room())

    async def until_read(self) -> dict[str, str]:
        """Return the header that tells when all that waits will have been read."""
        return _header((await self._known()).seconds_until_read())

    async def _known(self) -> Progress:
        now = self._clock()
        if now - self._asked_at >= _KEPT_SECONDS:
            self._asked_at = now
            self._progress = await self._measured()
        return self._progress

    async def _measured(self) -> Progress:
        pages = sum(one.queued_pages + one.running_pages for one in await self._queue.backlog())
        rate = await self._queue.pages_per_second(_MEASURED_SECONDS)
        return Progress(pages, rate, await asyncio.to_thread(self._wake_up))


def _header(seconds: int) -> dict[str, str]:
    return {"Retry-After": str(seconds)}

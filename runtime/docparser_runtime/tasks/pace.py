"""How long a full queue needs until it has room again."""

import math
import time
from collections.abc import Callable
from typing import Final

from docparser_runtime.queue.base import Submitting

_MEASURED_SECONDS: Final = 60.0
_KEPT_SECONDS: Final = 1.0
"""A queue that is full is asked once in this time, however many are refused."""
_UNKNOWN_SECONDS: Final = 30
_LONGEST_SECONDS: Final = 3600


class Pace:
    """Measures how fast the queue is worked off."""

    def __init__(self, queue: Submitting, clock: Callable[[], float] = time.monotonic) -> None:
        self._queue = queue
        self._clock = clock
        self._seconds = _UNKNOWN_SECONDS
        self._asked_at = -math.inf

    async def retry_after(self) -> dict[str, str]:
        """Return the header that tells when a tenth of what waits will have been read."""
        now = self._clock()
        if now - self._asked_at >= _KEPT_SECONDS:
            self._asked_at = now
            self._seconds = await self._measured()
        return {"Retry-After": str(self._seconds)}

    async def _measured(self) -> int:
        pages = sum(one.queued_pages + one.running_pages for one in await self._queue.backlog())
        rate = await self._queue.pages_per_second(_MEASURED_SECONDS)
        return seconds_until_room(pages, rate)


def seconds_until_room(pages: int, pages_per_second: float) -> int:
    """Return after how many seconds a tenth of `pages` will have been read."""
    if pages_per_second <= 0:
        return _UNKNOWN_SECONDS
    return min(max(math.ceil(pages / 10 / pages_per_second), 1), _LONGEST_SECONDS)

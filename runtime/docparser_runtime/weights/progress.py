"""How far a long work is, as log lines that come now and then."""

import threading
import time
from collections.abc import Callable
from typing import Final

from docparser_runtime.logs import Log

_LEAST_SECONDS: Final = 5.0
"""Time between two lines."""


class Progress:
    """Counts bytes; may be told of them from several threads."""

    def __init__(
        self, log: Log, event: str, total: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._log = log
        self._event = event
        self._total = total
        self._clock = clock
        self._lock = threading.Lock()
        self._done = 0
        self._told_done = 0
        self._told_at = clock()

    def add(self, size: int) -> None:
        """Count `size` bytes more, and log if it is time."""
        with self._lock:
            self._done += size
            now = self._clock()
            seconds = now - self._told_at
            if seconds < _LEAST_SECONDS:
                return
            rate = (self._done - self._told_done) / seconds
            self._told_done, self._told_at = self._done, now
        self._log.info(
            self._event,
            bytes_done=self._done,
            bytes_total=self._total,
            bytes_per_second=round(rate),
        )

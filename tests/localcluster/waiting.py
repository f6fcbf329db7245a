"""Waiting that always ends: with the thing waited for, or with a message that says why not."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from localcluster.console import Failure, tail

T = TypeVar("T")


def until(
    what: str,
    probe: Callable[[], T | None],
    deadline_seconds: float,
    log: Path | None = None,
    interval_seconds: float = 0.1,
) -> T:
    """Return the probe's first true answer; past the deadline fail with the log's end."""
    ends_at = time.monotonic() + deadline_seconds
    while True:
        if answer := probe():
            return answer
        if time.monotonic() >= ends_at:
            shown = f"\n{tail(log)}" if log else ""
            raise Failure(f"waited {deadline_seconds:.0f} s in vain: {what}{shown}")
        time.sleep(interval_seconds)

"""Waiting with a deadline, for states that another process brings about."""

import json
import time
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")

PAUSE_SECONDS = 0.05
PAUSES_PER_LOOK = 4
"""A look that starts a process must not slow down what is looked at."""
SHOWN_CHARACTERS = 6000


def eventually(
    look: Callable[[], T], holds: Callable[[T], Any], seconds: float = 20.0, what: str = ""
) -> T:
    """Return what `look` finds once `holds` is true of it; fail with the last finding."""
    deadline = time.monotonic() + seconds
    while True:
        began = time.monotonic()
        found = look()
        if holds(found):
            return found
        now = time.monotonic()
        if now > deadline:
            shown = json.dumps(found, indent=1, default=str)[:SHOWN_CHARACTERS]
            raise AssertionError(f"not within {seconds} s: {what}; last seen:\n{shown}")
        time.sleep(max(PAUSE_SECONDS, PAUSES_PER_LOOK * (now - began)))


def always(
    look: Callable[[], T], holds: Callable[[T], Any], seconds: float, what: str = ""
) -> None:
    """Fail with the first finding within `seconds` that `holds` is not true of."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        found = look()
        if not holds(found):
            shown = json.dumps(found, indent=1, default=str)[:SHOWN_CHARACTERS]
            raise AssertionError(f"no longer: {what}; seen:\n{shown}")
        time.sleep(PAUSE_SECONDS)

"""Names of tasks."""

import re
import secrets
import time
from typing import Final

_ID: Final = re.compile(r"[0-9a-f]{32}")


def new_id() -> str:
    """Return a name that sorts by time and that nobody can guess: 48 bits of time, 80 of chance."""
    return f"{time.time_ns() // 1_000_000:012x}{secrets.token_hex(10)}"


def is_id(text: str) -> bool:
    """Return whether `text` could be a name of a task.

    What could not need not be looked for, and not every database could look for every text.
    """
    return _ID.fullmatch(text) is not None

"""Names of tasks."""

import secrets
import time


def new_id() -> str:
    """Return a name that sorts by time and that nobody can guess: 48 bits of time, 80 of chance."""
    return f"{time.time_ns() // 1_000_000:012x}{secrets.token_hex(10)}"

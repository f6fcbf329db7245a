"""What the process does when it must leave early, and its last words. Imports nothing heavy."""

import os
import signal
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Final

TERMINATION_LOG: Final = Path("/dev/termination-log")
"""File of a container whose text Kubernetes shows as the reason why it ended."""
_LONGEST_MESSAGE: Final = 1024
"""Characters; Kubernetes cuts at 4096 bytes."""


def leave_when_told(arguments: Sequence[str]) -> None:
    """Let SIGTERM end a process that serves but has accepted nothing yet.

    The first process of a container ignores signals for which it has no handler, so one that came
    during the imports would be lost. The server replaces this handler by its own. Of every other
    command, an early end is no success: the system's default stays.
    """
    if arguments[1:2] == ["serve"]:
        signal.signal(signal.SIGTERM, _leave)


def one_line(message: str) -> str:
    """Return `message` as one line, short enough to be shown whole."""
    return " ".join(message.split())[:_LONGEST_MESSAGE]


def tell_kubernetes(message: str, path: Path = TERMINATION_LOG) -> None:
    """Write `message` as one line to `path`, where there is such a file."""
    with suppress(OSError):
        file = os.open(path, os.O_WRONLY | os.O_TRUNC)  # never creates it
        try:
            os.write(file, one_line(message).encode(errors="replace"))
        finally:
            os.close(file)


def _leave(_: int, __: FrameType | None) -> None:
    # Nothing has been opened or promised, and imports in progress must not catch an exception.
    os._exit(0)

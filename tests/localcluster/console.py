"""Progress for the person who waits, and the one error that is meant to be read."""

import sys
import time
from pathlib import Path

TAIL_LINES = 15
_started_at = time.monotonic()


class Failure(Exception):  # noqa: N818 - it reads as what happened, not as a bug
    """What went wrong and what the reader can do about it."""


def say(text: str) -> None:
    """Print one progress line with the seconds since the program's start."""
    sys.stderr.write(f"[{time.monotonic() - _started_at:5.1f} s] {text}\n")
    sys.stderr.flush()


def tail(log: Path, lines: int = TAIL_LINES) -> str:
    """The end of a log file, indented, with its path; says so when there is none."""
    try:
        text = log.read_text(errors="replace")
    except OSError:
        return f"(no log at {log})"
    last = text.splitlines()[-lines:]
    return "\n".join([f"last lines of {log}:", *(f"  {line[:400]}" for line in last)])


class Ticker:
    """Shows that a long step is alive: in place on a terminal, else a line now and then."""

    def __init__(self, text: str, interval_seconds: float = 15) -> None:
        self._text = text
        self._interval_seconds = interval_seconds
        self._began_at = self._told_at = time.monotonic()
        self._terminal = sys.stderr.isatty()

    @property
    def elapsed_seconds(self) -> float:
        """Seconds since the step began."""
        return time.monotonic() - self._began_at

    def tick(self) -> None:
        """Tell the elapsed time, if it is time to."""
        now = time.monotonic()
        if self._terminal:
            sys.stderr.write(f"\r{self._text} ... {self.elapsed_seconds:.0f} s ")
            sys.stderr.flush()
        elif now - self._told_at >= self._interval_seconds:
            self._told_at = now
            say(f"{self._text} ... {self.elapsed_seconds:.0f} s")

    def end(self) -> None:
        """Leave the line that was rewritten in place."""
        if self._terminal:
            sys.stderr.write("\n")

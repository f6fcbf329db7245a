"""Other programs, run to their end."""

import os
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from localcluster.console import Failure, Ticker

DEADLINE_SECONDS = 600.0

Argv = list[str | Path]


def output(
    argv: Sequence[str | Path],
    *,
    stdin: str | None = None,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    deadline_seconds: float = DEADLINE_SECONDS,
) -> str:
    """The program's standard output; failing or hanging raises with its last words."""
    command = [str(word) for word in argv]
    shown = " ".join(command)[:200]
    try:
        done = subprocess.run(
            command,
            input=stdin or "",  # never the caller's own: a program that asks must not wait
            env={**os.environ, **(env or {})},
            cwd=cwd,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=deadline_seconds,
            check=False,
        )
    except FileNotFoundError:
        raise Failure(f"{command[0]} is not installed") from None
    except subprocess.TimeoutExpired:
        raise Failure(f"no end after {deadline_seconds:.0f} s: {shown}") from None
    if done.returncode:
        raise Failure(
            f"failed ({done.returncode}): {shown}\n{(done.stderr or done.stdout)[-3000:]}"
        )
    return done.stdout


def succeeds(argv: Sequence[str | Path], deadline_seconds: float = 20) -> bool:
    """Whether the program exists and ends well."""
    try:
        output(argv, deadline_seconds=deadline_seconds)
    except Failure:
        return False
    return True


def show(argv: Sequence[str | Path], env: Mapping[str, str] | None = None) -> int:
    """Run on this terminal and return the exit status."""
    command = [str(word) for word in argv]
    try:
        done = subprocess.run(command, env={**os.environ, **(env or {})}, check=False)
    except FileNotFoundError:
        raise Failure(f"{command[0]} is not installed") from None
    return done.returncode


def watched(
    argv: Sequence[str | Path],
    log: Path,
    ticker: Ticker,
    *,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
) -> int:
    """Run a long step, ticking, its output in the log; return the exit status."""
    command = [str(word) for word in argv]
    with log.open("wb") as sink:
        child = subprocess.Popen(
            command, cwd=cwd, env={**os.environ, **(env or {})}, stdout=sink, stderr=sink
        )
    try:
        while child.poll() is None:
            time.sleep(0.2)
            ticker.tick()
    finally:
        # Ctrl-C: what is done so far stays in the program's own cache for the next run.
        if child.poll() is None:
            child.terminate()
            child.wait(timeout=30)
        ticker.end()
    return child.returncode

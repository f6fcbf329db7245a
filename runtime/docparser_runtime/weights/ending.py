"""How a command about weights ended, as one JSON line for Kubernetes and for people."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from docparser_runtime import farewell
from docparser_runtime.weights.errors import Code, WeightsError, of_system

_MOST_FILE_CHARACTERS: Final = 200
_MOST_NAMED: Final = 8
"""Versions that are named; the log names all."""
_MOST_CHARACTERS: Final = 1000
"""Kubernetes cuts what is too long, and half a JSON line tells nothing."""


def verified(directory: str, size: int, seconds: float, *, reused: bool) -> str:
    """Return the line that says that weights are ready."""
    return json.dumps(
        {
            "code": "Verified",
            "directory": directory,
            "bytes": size,
            "seconds": round(seconds, 3),
            "reused": reused,
        }
    )


def failed(code: Code, file: str, message: str) -> str:
    """Return the line that says what is wrong."""
    file, message = file[:_MOST_FILE_CHARACTERS], " ".join(message.split())
    line = json.dumps({"code": code, "file": file, "message": message}, ensure_ascii=False)
    excess = len(line) - _MOST_CHARACTERS
    return line if excess <= 0 else failed(code, file, message[: -excess - 3] + "...")


def pruned(versions: Sequence[str], size: int) -> str:
    """Return the line that says what was removed."""
    named = list(versions[:_MOST_NAMED])
    return json.dumps({"code": "Pruned", "removed": named, "count": len(versions), "bytes": size})


def of_error(error: Exception) -> str:
    """Return the line for `error`; of unforeseen ones only the kind is told."""
    if isinstance(error, WeightsError):
        return failed(error.code, error.file, error.message)
    if isinstance(error, OSError):
        return of_error(of_system(error))
    return failed(Code.INTERNAL, "", f"an error of this program: {type(error).__name__}")


def tell(line: str, termination_log: Path | None) -> None:
    """Write `line` where Kubernetes looks for it, or to `termination_log`.

    Raises:
        OSError: `termination_log` cannot be written.
    """
    if termination_log is None:
        farewell.tell_kubernetes(line)
    else:
        termination_log.write_text(line + "\n")

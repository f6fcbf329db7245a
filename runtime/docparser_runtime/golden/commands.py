"""The command `golden`."""

import os
import signal
from pathlib import Path
from types import FrameType
from typing import Annotated, Final

import typer

EXIT_NOT_COMPARED: Final = 1
EXIT_TERMINATED: Final = 128 + signal.SIGTERM


def compare(
    documents: Annotated[Path, typer.Option(help="Directory with NAME.png, NAME.md and so on.")],
    canary: Annotated[str, typer.Option(help="Address of the service to judge.")],
    stable: Annotated[str, typer.Option(help="Address of the service to compare it with.")],
    termination_log: Annotated[
        Path | None, typer.Option(help="File for the result. Default: the container's own.")
    ] = None,
    timeout_seconds: Annotated[
        float, typer.Option(help="Longest time for one document and service.", min=1)
    ] = 120,
) -> None:
    """Compare two services by documents whose text is known; print the result as JSON."""
    from docparser_runtime.golden.comparing import Comparing, run  # noqa: PLC0415

    # The first process of a container would ignore the signal, and hold up the end of a rollout.
    signal.signal(signal.SIGTERM, _leave)
    comparing = Comparing(
        documents, {"canary": canary, "stable": stable}, timeout_seconds, termination_log
    )
    if not run(comparing, os.environ):
        raise typer.Exit(EXIT_NOT_COMPARED)


def _leave(_: int, __: FrameType | None) -> None:
    os._exit(EXIT_TERMINATED)  # nothing is half written

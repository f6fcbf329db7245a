"""Where text goes: standard output for results, standard error for what went wrong."""

import json
import sys
from enum import StrEnum
from typing import Any, Final

import yaml
from rich.console import Console

PIPE_WIDTH: Final = 120
"""Columns where the output is no terminal, so that a file does not depend on where it was made."""


class Output(StrEnum):
    """How a result is printed."""

    TEXT = "text"
    JSON = "json"
    YAML = "yaml"


def console() -> Console:
    """Return the console for results."""
    width = None if sys.stdout.isatty() else PIPE_WIDTH
    # Messages of the cluster hold brackets, which are no markup.
    return Console(width=width, highlight=False, emoji=False, markup=False)


def complain(message: str) -> None:
    """Print an error as one line."""
    sys.stderr.write(f"error: {' '.join(message.split())}\n")


def print_data(data: Any, output: Output) -> None:
    """Print `data` for a program to read."""
    if output is Output.JSON:
        sys.stdout.write(json.dumps(data, indent=2) + "\n")
    else:
        sys.stdout.write(yaml.safe_dump(data, sort_keys=False))

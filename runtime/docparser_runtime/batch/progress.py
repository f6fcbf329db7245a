"""How far the documents are: a bar on a terminal, lines elsewhere."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, Literal, Protocol

import typer

from docparser_runtime.batch.console import shown

_UNITS: Final = 1000
"""Parts of the bar per document."""


@dataclass(frozen=True)
class Outcome:
    """What became of a document.

    Attributes:
        detail: why it failed, or how many pages it has.
    """

    name: str
    state: Literal["read", "skipped", "failed"]
    detail: str = ""


class Progress(Protocol):
    """Where it is told how far the documents are."""

    def moved(self, name: str, share: float) -> None:
        """Take note that a document has been read in part."""
        ...

    def ended(self, outcome: Outcome) -> None:
        """Take note of what became of a document."""
        ...


class Lines:
    """A line for each document that has ended."""

    def moved(self, name: str, share: float) -> None:
        """Tell nothing."""

    def ended(self, outcome: Outcome) -> None:
        """Write a line."""
        detail = f": {outcome.detail}" if outcome.detail else ""
        typer.echo(shown(f"{outcome.state} {outcome.name}{detail}"), err=True)


class _Steps(Protocol):
    def update(self, n_steps: int) -> None: ...


class Bar:
    """A bar that grows with the pages."""

    def __init__(self, steps: _Steps) -> None:
        self._steps = steps
        self._units: dict[str, int] = {}

    def moved(self, name: str, share: float) -> None:
        """Let the bar grow."""
        units = round(share * _UNITS)
        grown = units - self._units.get(name, 0)
        if grown > 0:
            self._units[name] = units
            self._steps.update(grown)

    def ended(self, outcome: Outcome) -> None:
        """Let the bar grow by the whole document."""
        self.moved(outcome.name, 1.0)


@contextmanager
def progress(documents: int) -> Iterator[Progress]:
    """Yield where to tell how far the documents are."""
    if not sys.stderr.isatty():
        yield Lines()
        return
    with typer.progressbar(length=documents * _UNITS, label="Reading", file=sys.stderr) as bar:
        yield Bar(bar)

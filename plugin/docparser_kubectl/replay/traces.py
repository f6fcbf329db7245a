"""What arrives when: a trace of documents, from a file or made up."""

import csv
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from docparser_kubectl.errors import Failure

MOST_DOCUMENTS: Final = 1_000_000
MOST_PAGES: Final = 100_000
"""Most pages of one document."""
MOST_SECONDS: Final = 31 * 86_400.0
_COLUMNS: Final = ("time_seconds", "pages", "priority")


class Priority(IntEnum):
    """Who is read first; within one priority, who came first."""

    LOW = 0
    NORMAL = 1
    HIGH = 2


@dataclass(frozen=True)
class Arrival:
    """A document that is handed in.

    Attributes:
        at: seconds since the beginning.
        pages: at least 1.
    """

    at: float
    pages: int
    priority: Priority = Priority.NORMAL


@dataclass(frozen=True)
class Trace:
    """Documents over a time.

    Attributes:
        arrivals: in the order of their times.
        seconds: length; at least the time of the last arrival.
    """

    name: str
    arrivals: tuple[Arrival, ...]
    seconds: float

    @property
    def pages(self) -> int:
        """All pages."""
        return sum(arrival.pages for arrival in self.arrivals)


def trace_of(name: str, arrivals: list[Arrival], seconds: float) -> Trace:
    """Return a trace of `arrivals` in the order of their times."""
    return Trace(name, tuple(sorted(arrivals, key=lambda one: one.at)), seconds)


def read(text: str, path: str) -> Trace:
    """Return the trace in CSV `text`, which ends with its last arrival.

    Raises:
        Failure: a line is wrong; the message names it.
    """
    # Files of spreadsheets begin with a mark that nobody sees.
    rows = csv.reader(text.removeprefix("\ufeff").splitlines())
    header = tuple(cell.strip() for cell in next(rows, []))
    if header not in {_COLUMNS, _COLUMNS[:2]}:
        raise Failure(f"{path}: the first line must be time_seconds,pages or {','.join(_COLUMNS)}")
    arrivals: list[Arrival] = []
    for row in rows:
        if not row:
            continue
        try:
            arrivals.append(_arrival(row, len(header)))
        except ValueError as error:
            raise Failure(f"{path}, line {rows.line_num}: {error}") from None
        if len(arrivals) > MOST_DOCUMENTS:
            raise Failure(f"{path} has more than {MOST_DOCUMENTS} documents")
    if not arrivals:
        raise Failure(f"{path} has no documents")
    return trace_of(path, arrivals, max(arrival.at for arrival in arrivals))


def _arrival(row: list[str], columns: int) -> Arrival:
    """Return what one line says.

    Raises:
        ValueError: it cannot be.
    """
    if len(row) != columns:
        raise ValueError(f"{len(row)} values instead of {columns}")
    at, pages = float(row[0]), int(row[1])
    if not 0 <= at <= MOST_SECONDS:
        raise ValueError(f"time_seconds {row[0]} is not within 0 and {MOST_SECONDS:.0f}")
    if not 1 <= pages <= MOST_PAGES:
        raise ValueError(f"pages {row[1]} is not within 1 and {MOST_PAGES}")
    word = row[2].strip() if columns > 2 else ""  # noqa: PLR2004 (the third column)
    return Arrival(at, pages, _priority(word))


def _priority(word: str) -> Priority:
    if not word:
        return Priority.NORMAL
    if word.upper() not in Priority.__members__:
        raise ValueError(f"priority {word} is none of low, normal, high")
    return Priority[word.upper()]

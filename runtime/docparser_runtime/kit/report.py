"""Pure: what an assessment found out, as a value and as JSON."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from docparser_runtime.kit.accuracy import Accuracy
from docparser_runtime.kit.classes import ClassFigures
from docparser_runtime.kit.figures import Latency, Level, Recommendation


@dataclass(frozen=True)
class About:
    """What the service says it is."""

    engine: str
    model: str
    version: str


@dataclass(frozen=True)
class Failure:
    """A request that ended without a text."""

    name: str
    code: str


@dataclass(frozen=True)
class ErrorKind:
    """Requests that failed in the same way.

    Attributes:
        files: names of the files that were asked for.
    """

    code: str
    count: int
    files: tuple[str, ...]


@dataclass(frozen=True)
class Report:
    """What an assessment found out.

    Attributes:
        made_at: when, as ISO 8601.
        service: its address.
        accuracy: by layout class, of samples whose text is known.
        latency: of requests that were alone; None when none was answered.
        classes: of the same requests, by layout class.
        peaks: most memory during the assessment by metric, in bytes.
        above_limit: classes whose character error rate exceeds `most_errors`.
        tier: how closely the engine was asked to look.
    """

    made_at: str
    service: str
    about: About
    samples: int
    accuracy: Mapping[str, Accuracy]
    latency: Latency | None
    classes: Mapping[str, ClassFigures]
    levels: tuple[Level, ...]
    recommendation: Recommendation | None
    peaks: Mapping[str, float]
    errors: tuple[ErrorKind, ...]
    most_errors: float | None = None
    above_limit: tuple[str, ...] = ()
    tier: str = "auto"

    @property
    def is_good(self) -> bool:
        """Whether nothing failed and no class has too many wrong characters."""
        return not self.errors and not self.above_limit

    def as_json(self) -> str:
        """Return all of it for programs."""
        values = {"version": 1, "good": self.is_good} | asdict(self)
        return json.dumps(values, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def error_kinds(failures: Sequence[Failure]) -> tuple[ErrorKind, ...]:
    """Return the failures by kind, the most frequent first."""
    groups: dict[str, list[str]] = {}
    for failure in failures:
        groups.setdefault(failure.code, []).append(failure.name)
    kinds = [
        ErrorKind(code, len(names), tuple(sorted(set(names)))) for code, names in groups.items()
    ]
    return tuple(sorted(kinds, key=lambda kind: (-kind.count, kind.code)))

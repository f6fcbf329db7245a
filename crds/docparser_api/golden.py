"""What the runtime's command `golden` found out about two revisions; the operator reads it.

It travels as the termination message of a container, one line of JSON: either a report or the
reason why there is none.
"""

from typing import Final, Literal

from pydantic import TypeAdapter

from docparser_api.base import ApiModel

MOST_BYTES: Final = 4000
"""Longest line. Kubernetes cuts a termination message at 4096 bytes."""
MOST_CLASSES: Final = 12
"""Most layout classes of a report."""
OTHER_CLASSES: Final = "other"
"""Layout class that stands for all for which a report has no room."""

Side = Literal["canary", "stable"]
"""The new revision, or the one that serves."""


class Comparison(ApiModel):
    """One measure over the documents of a class: means, and what they tell about the difference."""

    canary: float
    """Mean of the new revision."""
    stable: float
    """Mean of the serving revision."""
    difference: float
    """Mean of canary minus stable, document by document."""
    lower: float
    """The true difference lies above this with 95 % confidence."""
    upper: float
    """The true difference lies below this with 95 % confidence."""


class ClassScores(ApiModel):
    """All measures of one layout class."""

    documents: int
    """Documents of the class."""
    character_error_rate: Comparison
    """Share of wrong characters, 0 to 1; less is better."""
    reading_order: Comparison
    """How far blocks follow each other as expected, 0 to 1; more is better."""
    table_similarity: Comparison | None = None
    """How far tables equal the expected ones, 0 to 1; more is better. Absent without tables."""


class Failure(ApiModel):
    """A document that one side did not read. It counts as read in the worst way."""

    document: str
    """Name of the document's file without its ending."""
    side: Side
    """Which side it was."""
    code: str
    """Code of the problem that the side answered with, or of what came instead of an answer."""


class GoldenReport(ApiModel):
    """Both sides were scored."""

    version: Literal[1] = 1
    """Version of this format."""
    documents: int
    """Documents of all classes."""
    classes: dict[str, ClassScores]
    """Scores by layout class."""
    failures: tuple[Failure, ...] = ()
    """Documents that were not read, as many as the line has room for."""
    failures_left_out: int = 0
    """How many more there were."""


class Fault(ApiModel):
    """Why there is no report."""

    code: str
    """Stable name of the reason, for programs."""
    message: str
    """What is wrong and what to do, for people."""


class GoldenFault(ApiModel):
    """The sides could not be scored."""

    version: Literal[1] = 1
    """Version of this format."""
    error: Fault
    """Why."""


GoldenOutcome = GoldenReport | GoldenFault
_OUTCOME: TypeAdapter[GoldenOutcome] = TypeAdapter(GoldenOutcome)


def line_of(outcome: GoldenOutcome) -> str:
    """Return `outcome` as one line of JSON."""
    return outcome.model_dump_json(by_alias=True, exclude_none=True)


def outcome_of(line: str) -> GoldenOutcome:
    """Return what `line` tells.

    Raises:
        ValueError: it is no outcome, or one of another version.
    """
    return _OUTCOME.validate_json(line)

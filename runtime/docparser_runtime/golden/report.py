"""Pure: answers of both sides as a report that fits a termination message."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from docparser_api.golden import (
    MOST_BYTES,
    MOST_CLASSES,
    OTHER_CLASSES,
    ClassScores,
    Comparison,
    Failure,
    GoldenReport,
    Side,
    line_of,
)

from docparser_runtime.golden.client import Answer, Answers
from docparser_runtime.golden.documents import GoldenDocument, GoldenError
from docparser_runtime.golden.paired import comparison
from docparser_runtime.golden.scores import Scores, scores, worst_scores


@dataclass(frozen=True)
class Scored:
    """A document that was scored on both sides."""

    name: str
    layout_class: str
    canary: Scores
    stable: Scores


def report(documents: Sequence[GoldenDocument], answers: Answers) -> GoldenReport:
    """Return what the answers tell about the two sides.

    Raises:
        GoldenError: the serving side read no document, so there is nothing to compare with.
    """
    failures = failures_of(documents, answers)
    failed = [failure.code for failure in failures if failure.side == "stable"]
    if len(failed) == len(documents):
        raise GoldenError(
            "no_baseline",
            f"the serving revision read none of {len(documents)} documents; the first one ended "
            f"with {failed[0]}",
        )
    return fitted([_scored(document, answers) for document in documents], failures)


def failures_of(documents: Sequence[GoldenDocument], answers: Answers) -> tuple[Failure, ...]:
    """Return what was not read."""
    sides: tuple[Side, ...] = ("canary", "stable")
    return tuple(
        Failure(document=document.name, side=side, code=code)
        for document in documents
        for side in sides
        if (code := answers[document.name, side].failure) is not None
    )


def fitted(scored: Sequence[Scored], failures: Sequence[Failure]) -> GoldenReport:
    """Return the report with all classes and failures for which a line has room.

    The last failures are left out first; then the smallest classes are put together.
    """
    for most in range(MOST_CLASSES, 0, -1):
        classes = _classes(scored, most)
        low, high = 0, len(failures) + 1  # `low` is always small enough, `high` never
        if not _fits(_report(scored, classes, failures, low)):
            continue
        while high - low > 1:
            middle = (low + high) // 2
            fits = _fits(_report(scored, classes, failures, middle))
            low, high = (middle, high) if fits else (low, middle)
        return _report(scored, classes, failures, low)
    raise AssertionError("a report of one class is short")


def _scored(document: GoldenDocument, answers: Answers) -> Scored:
    def of(answer: Answer) -> Scores:
        if answer.markdown is None:
            return worst_scores(document.expected)
        return scores(document.expected, answer.markdown)

    sides = (of(answers[document.name, side]) for side in ("canary", "stable"))
    return Scored(document.name, document.layout_class, *sides)


def _report(
    scored: Sequence[Scored],
    classes: dict[str, ClassScores],
    failures: Sequence[Failure],
    most_failures: int,
) -> GoldenReport:
    return GoldenReport(
        documents=len(scored),
        classes=classes,
        failures=tuple(failures[:most_failures]),
        failures_left_out=max(len(failures) - most_failures, 0),
    )


def _fits(report: GoldenReport) -> bool:
    return len(line_of(report).encode()) <= MOST_BYTES


def _classes(scored: Sequence[Scored], most: int) -> dict[str, ClassScores]:
    counts = Counter(document.layout_class for document in scored)
    ranked = sorted(counts, key=lambda name: (-counts[name], name))
    kept = set(ranked if len(ranked) <= most else ranked[: most - 1])
    groups: dict[str, list[Scored]] = {}
    for document in scored:
        name = document.layout_class if document.layout_class in kept else OTHER_CLASSES
        groups.setdefault(name, []).append(document)
    return {name: _class_scores(groups[name]) for name in sorted(groups)}


def _class_scores(group: Sequence[Scored]) -> ClassScores:
    character_error_rate = _compared(group, lambda scores: scores.character_error_rate)
    reading_order = _compared(group, lambda scores: scores.reading_order)
    if character_error_rate is None or reading_order is None:
        raise AssertionError("every document has these scores")
    return ClassScores(
        documents=len(group),
        character_error_rate=character_error_rate,
        reading_order=reading_order,
        table_similarity=_compared(group, lambda scores: scores.table_similarity),
    )


def _compared(
    group: Sequence[Scored], measure: Callable[[Scores], float | None]
) -> Comparison | None:
    """Return the comparison over the documents that have this measure; None when none has."""
    pairs = [(measure(document.canary), measure(document.stable)) for document in group]
    known = [(one, other) for one, other in pairs if one is not None and other is not None]
    return comparison(*zip(*known, strict=True)) if known else None

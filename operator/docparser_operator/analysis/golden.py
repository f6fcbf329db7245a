"""Judges how well a new revision reads documents whose text is known.

The new revision passes a measure if it is not worse by more than the margin, even at the
unfavourable end of the confidence interval; it fails if it is worse by more at the favourable end.
That is a test of non-inferiority (Piaggio et al., Reporting of Noninferiority and Equivalence
Randomized Trials, JAMA 308, 2012).
"""

from dataclasses import dataclass
from typing import Final

from docparser_api.analysis import GoldenDocuments
from docparser_api.golden import (
    ClassScores,
    Comparison,
    GoldenFault,
    GoldenOutcome,
    GoldenReport,
)
from docparser_api.status import Measurement, Verdict

FAILURES: Final = "golden/all/failures"
"""Name of the check that the new revision reads what the serving one reads."""

_MOST_NAMED = 3


@dataclass(frozen=True)
class _Measure:
    """One measure of a class.

    Attributes:
        sign: 1 where more is worse, -1 where less is.
        margin: how much worse passes.
    """

    name: str
    comparison: Comparison
    sign: int
    margin: float


def golden_measurements(outcome: GoldenOutcome, rules: GoldenDocuments) -> list[Measurement]:
    """Return the checks of the documents with known text."""
    if isinstance(outcome, GoldenFault):
        words = f"{outcome.error.code}: {outcome.error.message}"[:512]
        return [Measurement(name=FAILURES, verdict="Inconclusive", message=words)]
    return [
        _failures(outcome),
        *(
            _measured(name, scores.documents, measure)
            for name, scores in sorted(outcome.classes.items())
            for measure in _measures(scores, rules)
        ),
    ]


def _failures(report: GoldenReport) -> Measurement:
    """Return the check of documents that only the new revision did not read."""
    by_stable = {failure.document for failure in report.failures if failure.side == "stable"}
    by_canary = {f.document: f.code for f in report.failures if f.side == "canary"}
    new = sorted(by_canary.keys() - by_stable)
    named = ", ".join(f"{document} ({by_canary[document]})" for document in new[:_MOST_NAMED])
    more = f", and {len(new) - _MOST_NAMED} more" if len(new) > _MOST_NAMED else ""
    found: Verdict = "Fail" if new else "Pass"
    if not new and report.failures_left_out:
        found = "Inconclusive"
        named = f"{report.failures_left_out} failures found no room in the report"
    return Measurement(
        name=FAILURES,
        verdict=found,
        canary=len(new),
        limit=0,
        samples=report.documents,
        message=f"documents that only the new revision fails to read: {named or 'none'}{more}"[
            :512
        ],
    )


def _measures(scores: ClassScores, rules: GoldenDocuments) -> list[_Measure]:
    tables = scores.table_similarity
    return [
        _Measure(
            "characterErrorRate",
            scores.character_error_rate,
            1,
            rules.max_character_error_rate_increase,
        ),
        _Measure("readingOrder", scores.reading_order, -1, rules.max_reading_order_decrease),
        *(
            [_Measure("tableSimilarity", tables, -1, rules.max_table_similarity_decrease)]
            if tables is not None
            else []
        ),
    ]


def _measured(layout_class: str, documents: int, measure: _Measure) -> Measurement:
    """Return the check of one measure of one layout class."""
    compared = measure.comparison
    least, most = sorted((measure.sign * compared.lower, measure.sign * compared.upper))
    if least > measure.margin:
        found: Verdict = "Fail"
    else:
        found = "Pass" if most <= measure.margin else "Inconclusive"
    return Measurement(
        # The name of a class comes from a file's name.
        name=f"golden/{layout_class[:80]}/{measure.name}",
        verdict=found,
        canary=compared.canary,
        stable=compared.stable,
        limit=compared.stable + measure.sign * measure.margin,
        samples=documents,
        message=f"worse by {least:.4f} to {most:.4f} (95 % confidence); {measure.margin:g} passes",
    )

"""What the new revision is found to be: all checks together. Pure."""

from datetime import datetime

from docparser_api.analysis import AnalysisSpec
from docparser_api.golden import GoldenReport, outcome_of
from docparser_api.status import AnalysisStatus, Measurement

from docparser_operator.analysis.evidence import Evidence
from docparser_operator.analysis.judge import (
    golden_measurements,
    metric_measurements,
    pod_measurements,
    query_measurements,
    verdict,
)
from docparser_operator.clock import timestamp
from docparser_operator.jobs import JobState
from docparser_operator.pods import Pod


def judged(
    rules: AnalysisSpec,
    evidence: Evidence | None,
    pods: list[Pod],
    golden: JobState | None,
    before: AnalysisStatus | None,
    now: datetime,
) -> AnalysisStatus:
    """Return the judgement of the new revision, whose pods are `pods`.

    Numbers change all the time; the status tells those of the last change of a verdict, so that a
    rollout that waits writes nothing.
    """
    measurements = [
        *pod_measurements(pods, rules),
        *_measured(rules, evidence, before),
        *_golden(rules, golden),
    ]
    if before is not None and _verdicts(before.measurements) == _verdicts(measurements):
        return before
    return AnalysisStatus(
        verdict=verdict(measurements), changed_at=timestamp(now), measurements=measurements
    )


def _measured(
    rules: AnalysisSpec, evidence: Evidence | None, before: AnalysisStatus | None
) -> list[Measurement]:
    """Return what was measured; before the first look after a restart, what was known till then."""
    found = evidence or Evidence.EMPTY
    measurements = [
        *metric_measurements(found, rules),
        *query_measurements(rules, found.queries),
    ]
    if evidence is not None or before is None:
        return measurements
    known = {measurement.name: measurement for measurement in before.measurements}
    return [known.get(measurement.name, measurement) for measurement in measurements]


def _golden(rules: AnalysisSpec, job: JobState | None) -> list[Measurement]:
    """Return what reading the golden documents showed; nothing where there are none to read."""
    if rules.golden_documents is None:
        return []
    if job is None or not job.ended:
        return [_unknown("the documents are being read" if job else "not begun")]
    try:
        outcome = outcome_of(job.message)
    except ValueError:
        return [_unknown(f"Job {job.name} ended without a result; see the logs of its pods")]
    if not isinstance(outcome, GoldenReport):
        return [_unknown(f"{outcome.error.code}: {outcome.error.message}")]
    return golden_measurements(outcome, rules.golden_documents)


def _unknown(message: str) -> Measurement:
    return Measurement(name="golden", verdict="Inconclusive", message=message[:512])


def _verdicts(measurements: list[Measurement]) -> list[tuple[str, str]]:
    """Return what counts as a change: names and verdicts; of an unknown, also its reason."""
    return [(m.name, m.message if m.name == "golden" else m.verdict) for m in measurements]

"""Judges what the pods of a new revision have counted.

A check fails as soon as chance does not explain the difference any more, however few samples there
are; it passes once there are enough and the value is within its limit. In between nothing is said.
"""

from dataclasses import dataclass
from typing import Final

from docparser_api.analysis import AnalysisSpec
from docparser_api.status import Measurement, Verdict

from docparser_operator.analysis import latency
from docparser_operator.analysis.bounds import CERTAIN, Seen
from docparser_operator.analysis.evidence import Evidence, Totals

LEAST_SAMPLES: Final = 10
"""Fewer than these are never enough to fail a revision: its first requests warm it up."""
LASTING_SECONDS: Final = 60.0
"""After this time few requests are enough to tell that a revision is slow."""


@dataclass(frozen=True)
class _Share:
    """Bad ones among all, of one revision.

    Attributes:
        independent: how many of all count as independent of each other. Pages of one document
            fail together, so that they tell no more than documents do.
    """

    bad: int
    total: int
    independent: int

    @property
    def value(self) -> float:
        """The share, 0 to 1."""
        return self.bad / self.total if self.total else 0.0

    def __str__(self) -> str:
        return f"{self.bad} of {self.total} ({self.value:.2%})"


def metric_measurements(evidence: Evidence, rules: AnalysisSpec) -> list[Measurement]:
    """Return the checks of the pods' own counters."""
    canary, stable, least = evidence.canary, evidence.stable, rules.minimum_requests
    error_rate, loops, truncation = (
        _rate(name, words, (share(canary), share(stable)), points / 100, least)
        for name, words, share, points in (
            (
                "errorRate",
                "server errors",
                _errors,
                rules.error_rate.max_increase_percentage_points,
            ),
            (
                "loopRate",
                "pages with repetitions",
                _loops,
                rules.loops.max_increase_percentage_points,
            ),
            (
                "truncationRate",
                "pages cut off",
                _truncations,
                rules.truncation.max_increase_percentage_points,
            ),
        )
    )
    return [error_rate, _latency(evidence, rules), loops, truncation]


def _errors(totals: Totals) -> _Share:
    return _Share(totals.server_errors, totals.requests, totals.requests)


def _loops(totals: Totals) -> _Share:
    return _Share(totals.repetition, totals.pages, min(totals.pages, totals.requests))


def _truncations(totals: Totals) -> _Share:
    return _Share(totals.truncated, totals.pages, min(totals.pages, totals.requests))


def _rate(
    name: str, words: str, shares: tuple[_Share, _Share], margin: float, least: int
) -> Measurement:
    """Return the check of one share of the new revision and the serving one."""
    canary, stable = shares
    # Too few requests of the serving revision prove nothing: it gets no credit for its faults.
    usual = stable.value if stable.total >= least else 0.0
    limit = min(1.0, usual + margin)
    if _is_certainly_higher(canary, stable, margin, least):
        found: Verdict = "Fail"
    elif canary.total >= least and canary.value <= limit:
        found = "Pass"
    else:
        found = "Inconclusive"
    compared = f"serving revision {stable}" if stable.total else "nothing to compare with"
    few = f"; {least} are needed" if canary.total < least and found == "Inconclusive" else ""
    return Measurement(
        name=name,
        verdict=found,
        canary=canary.value if canary.total else None,
        stable=stable.value if stable.total else None,
        limit=limit,
        samples=canary.total,
        message=f"{words}: {canary}; {compared}; at most {limit:.2%} pass{few}",
    )


def _is_certainly_higher(canary: _Share, stable: _Share, margin: float, least: int) -> bool:
    """Return whether chance does not explain that the share is too high.

    A serving revision without any request is taken to be free of faults, once the new one has so
    many that this is not just the beginning.
    """
    mine = Seen(canary.value, canary.independent)
    if stable.independent:
        usual = Seen(stable.value, stable.independent)
        return mine.samples >= LEAST_SAMPLES and mine.exceeds(usual, margin, CERTAIN)
    return mine.samples >= least and mine.least(CERTAIN) > margin


def _latency(evidence: Evidence, rules: AnalysisSpec) -> Measurement:
    """Return the check of the time to answer."""
    canary, stable = evidence.canary, evidence.stable
    least, increase = rules.minimum_requests, rules.latency.max_increase_percent
    mine = latency.percentile(canary.buckets) if canary.timed else None
    usual = latency.percentile(stable.buckets) if stable.timed else None
    limit = latency.limit(usual, increase) if usual is not None else None
    lasting = _is_lasting(evidence, least)
    if lasting and latency.is_certainly_slower(canary, stable, increase):
        found: Verdict = "Fail"
    elif canary.timed < least or 0 < stable.timed < least:
        found = "Inconclusive"
    else:
        found = "Inconclusive" if latency.is_likely_slower(canary, stable, increase) else "Pass"
    words = _latency_words(canary.timed, mine, stable.timed, usual, limit)
    if found == "Pass" and None not in {mine, limit} and (mine or 0) > (limit or 0):
        words += "; above it by no more than chance"
    return Measurement(
        name="latencyP99Seconds",
        verdict=found,
        canary=mine,
        stable=usual,
        limit=limit,
        samples=canary.timed,
        message=words,
    )


def _is_lasting(evidence: Evidence, least: int) -> bool:
    """Return whether the times tell more than one bad moment.

    Requests that are under way at the same moment are slow together where the node is busy for a
    second or two, so ten of them can be one observation. Statistics that count requests know
    nothing of that: only many of both revisions, or a long time, tell a slow revision from it.
    """
    fewer = min(evidence.canary.timed, evidence.stable.timed)
    return fewer >= least or (fewer >= LEAST_SAMPLES and evidence.seconds >= LASTING_SECONDS)


def _latency_words(
    samples: int,
    mine: float | None,
    stable_samples: int,
    usual: float | None,
    limit: float | None,
) -> str:
    first = f"{mine:.3f} s in {samples} requests" if mine is not None else "no requests"
    if usual is None or limit is None:
        return f"{first}; nothing to compare with"
    second = f"serving revision {usual:.3f} s in {stable_samples} requests"
    return f"{first}; {second}; at most {limit:.3f} s pass"

"""Compares how long two revisions take, from histograms."""

import math
from typing import Final

from docparser_operator.analysis.bounds import CERTAIN, LIKELY, Seen
from docparser_operator.analysis.evidence import Buckets, Totals

QUANTILE: Final = 0.99

NEGLIGIBLE_SECONDS: Final = 0.05
"""A difference below this never fails a revision: the node's own noise is of that size."""


def percentile(buckets: Buckets) -> float:
    """Return the 99th percentile in seconds, as PromQL's `histogram_quantile` interpolates it.

    Beyond the last finite bound nothing is known, and that bound is returned.
    """
    low, high = _around_percentile(buckets)
    if math.isinf(high):
        return low
    counts = dict(buckets)
    rank = QUANTILE * buckets[-1][1]
    before = counts.get(low, 0)
    return low + (high - low) * (rank - before) / (counts[high] - before)


def limit(stable_seconds: float, most_increase_percent: int) -> float:
    """Return the largest percentile in seconds that passes, given that of the serving revision."""
    factor = 1 + most_increase_percent / 100
    return max(stable_seconds * factor, stable_seconds + NEGLIGIBLE_SECONDS)


def is_certainly_slower(canary: Totals, stable: Totals, most_increase_percent: int) -> bool:
    """Return whether chance does not explain that the new revision is too slow.

    Where within a bucket the requests lie is a guess. Two revisions on both sides of a bound may be
    nearly alike, so either the bounds alone must tell the difference, or the mean must as well.
    """
    if not stable.timed:
        return False
    factor = 1 + most_increase_percent / 100
    if _mean(canary) > factor * _mean(stable) and _is_beyond(
        canary, stable, most_increase_percent, CERTAIN
    ):
        return True
    high = _around_percentile(stable.buckets)[1]
    least = limit(high, most_increase_percent)
    # The first bound beyond: what lies above it does so wherever in its bucket it is.
    border = next(bound for bound, _count in canary.buckets if bound >= least)
    new = _share_above(canary, border)
    return new.exceeds(_share_above(stable, high), 0.0, CERTAIN)


def is_likely_slower(canary: Totals, stable: Totals, most_increase_percent: int) -> bool:
    """Return whether the new revision is more likely than not too slow.

    The percentile of few requests is hardly more than the slowest of them; by itself it would keep
    many a good revision waiting. One slow request of the serving revision hides that all requests
    of a canary are slow, so the mean has to be within the limit, too.
    """
    if stable.timed and _mean(canary) > limit(_mean(stable), most_increase_percent):
        return True
    return _is_beyond(canary, stable, most_increase_percent, LIKELY)


def _is_beyond(canary: Totals, stable: Totals, most_increase_percent: int, chance: float) -> bool:
    """Return whether the canary's percentile lies above the limit.

    If it was at the limit, the share of its requests beyond would be that of the serving revision's
    beyond the percentile from which the limit was made. So shares are compared. This is the same as
    to bound the percentile by ranks of order statistics (Conover, Practical Nonparametric
    Statistics, 1999, section 3.2), but needs no bound above the serving revision's slowest request.
    """
    if not stable.timed:
        return False
    border = limit(percentile(stable.buckets), most_increase_percent)
    usual = Seen(1 - QUANTILE, stable.timed)
    return _share_above(canary, border).exceeds(usual, 0.0, chance)


def _share_above(totals: Totals, seconds: float) -> Seen:
    return Seen(1 - _within(totals.buckets, seconds) / totals.timed, totals.timed)


def _around_percentile(buckets: Buckets) -> tuple[float, float]:
    """Return the bounds of the bucket that holds the percentile."""
    low = 0.0
    for bound, count in buckets:
        if count >= QUANTILE * buckets[-1][1]:
            return low, bound
        low = bound
    raise ValueError("the last bucket holds all")  # pragma: no cover


def _within(buckets: Buckets, seconds: float) -> float:
    """Return how many requests took no longer than `seconds`, interpolated within a bucket.

    Those beyond the last finite bound count only as longer than that bound.
    """
    low, before = 0.0, 0
    for bound, count in buckets:
        if seconds <= bound:
            if math.isinf(bound):
                return count if seconds > low else before
            return before + (count - before) * (seconds - low) / (bound - low)
        low, before = bound, count
    return before


def _mean(totals: Totals) -> float:
    return totals.seconds / totals.timed

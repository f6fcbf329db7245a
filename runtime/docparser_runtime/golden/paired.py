"""What paired measurements tell about the difference of two sides.

Both sides read the same documents, so the differences document by document are what varies. Their
mean is bounded by the percentile bootstrap (Efron and Tibshirani, "An Introduction to the
Bootstrap", 1993, chapter 13) with a fixed seed: the same answers give the same bounds. With one
document, or equal differences, the bounds are the difference itself.
"""

from collections.abc import Sequence
from typing import Final, SupportsFloat

import numpy as np
from docparser_api.golden import Comparison

RESAMPLES: Final = 2000
CONFIDENCE_PERCENT: Final = 95
"""Of each bound by itself; both together hold with 90 %."""
SEED: Final = 20200824
_MOST_DRAWS: Final = 1_000_000
"""Documents that are drawn in one go (8 MB), so that a large set fits into a small pod."""
DIGITS: Final = 4
"""Decimal places that are told; a document of 10,000 characters has no finer error rate."""


def comparison(canary: Sequence[float], stable: Sequence[float]) -> Comparison:
    """Return the means of both sides and of their difference, with one-sided bounds of it.

    The values stand for the same documents in the same order; there is at least one.
    """
    differences = np.subtract(canary, stable)
    lower, upper = _bounds(differences)
    return Comparison(
        canary=_told(np.mean(canary)),
        stable=_told(np.mean(stable)),
        difference=_told(np.mean(differences)),
        lower=_told(lower),
        upper=_told(upper),
    )


def _told(value: SupportsFloat) -> float:
    return round(float(value), DIGITS) + 0.0  # which turns a negative zero into zero


def _bounds(differences: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> tuple[float, float]:
    random = np.random.default_rng(SEED)
    size = len(differences)
    step = max(_MOST_DRAWS // size, 1)
    means = [
        differences[random.integers(size, size=(min(step, RESAMPLES - start), size))].mean(axis=1)
        for start in range(0, RESAMPLES, step)
    ]
    lower, upper = np.percentile(
        np.concatenate(means), (100 - CONFIDENCE_PERCENT, CONFIDENCE_PERCENT)
    )
    return float(lower), float(upper)

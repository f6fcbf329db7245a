"""How fast something grows, told from noisy samples."""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

_NORMAL_95 = 1.96


@dataclass(frozen=True)
class Slope:
    """The slope of a line through samples, per unit of time, and between what it lies (95 %)."""

    value: float
    lowest: float
    highest: float


def theil_sen(samples: Sequence[tuple[float, float]]) -> Slope:
    """Return the median of the slopes between all pairs of (time, value).

    A few samples that lie far off change nothing. The interval is Sen's, which holds for samples
    whose noise is independent; where it is not, the truth is less certain.
    """
    slopes = sorted(
        (later[1] - sooner[1]) / (later[0] - sooner[0])
        for n, sooner in enumerate(samples)
        for later in samples[n + 1 :]
    )
    n = len(samples)
    spread = _NORMAL_95 * math.sqrt(n * (n - 1) * (2 * n + 5) / 18)
    low = max(0, round((len(slopes) - spread) / 2))
    high = min(len(slopes) - 1, round((len(slopes) + spread) / 2))
    return Slope(statistics.median(slopes), slopes[low], slopes[high])

"""Courses of numbers as lines of blocks, which need no colour."""

from collections.abc import Sequence
from typing import Final

BLOCKS: Final = " ▁▂▃▄▅▆▇█"
COLUMNS: Final = 72


def line(points: Sequence[tuple[float, float]], seconds: float, most: float) -> str:
    """Return `points` (time, value) as blocks, where a full one is `most`.

    A value lasts until the next point. Each column is the largest value of its time, so that
    nothing short is lost; all that is more than nothing is seen.
    """
    width = seconds / COLUMNS
    columns = [0.0] * COLUMNS
    ends = [at for at, _ in points[1:]] + [seconds]
    for (at, value), end in zip(points, ends, strict=True):
        first = min(COLUMNS - 1, int(at / width))
        last = min(COLUMNS - 1, max(first, int(min(end, seconds) / width - 1e-9)))
        for column in range(first, last + 1):
            columns[column] = max(columns[column], value)
    return "".join(_block(value, most) for value in columns)


def _block(value: float, most: float) -> str:
    if value <= 0 or most <= 0:
        return BLOCKS[0]
    steps = len(BLOCKS) - 1
    return BLOCKS[min(steps, max(1, round(steps * value / most)))]

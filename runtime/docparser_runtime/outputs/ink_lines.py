"""Where the lines of a passage are, by the ink in its part of the page's picture."""

import statistics
from dataclasses import dataclass

from PIL import Image, ImageStat

_MIDDLE_GREY = 128
_LEAST_CONTRAST = 40
"""Grey levels between paper and ink below which there is nothing to be seen."""
_LEAST_LINE = 0.45
"""Height of the lowest line as a share of the usual one; accents and dots are lower."""
_BLACK, _WHITE = 255, 0


@dataclass(frozen=True)
class Line:
    """The ink of a line, in pixels from the upper left corner of the picture."""

    left: float
    top: float
    right: float
    bottom: float


def ink_lines(picture: Image.Image) -> list[Line]:
    """Return the lines in a grey `picture` of level text from top to bottom; none if not clear."""
    low, high = picture.getextrema()
    if not isinstance(low, int) or not isinstance(high, int) or high - low < _LEAST_CONTRAST:
        return []
    is_dark = ImageStat.Stat(picture).median[0] < _MIDDLE_GREY
    threshold = (low + high) / 2
    ink = picture.point(
        [_BLACK if (level > threshold) == is_dark else _WHITE for level in range(256)]
    )
    rows = ink.resize((1, ink.height), Image.Resampling.BOX).tobytes()
    lines = []
    for top, bottom in _merged(_runs(rows)):
        band = ink.crop((0, top, ink.width, bottom))
        columns = _runs(band.resize((ink.width, 1), Image.Resampling.BOX).tobytes())
        if columns:
            lines.append(Line(columns[0][0], top, columns[-1][1], bottom))
    return lines


def _runs(profile: bytes) -> list[tuple[int, int]]:
    """Return where the profile is not zero: start and end of each run."""
    runs = []
    start = None
    for at, value in enumerate(profile):
        if value and start is None:
            start = at
        elif not value and start is not None:
            runs.append((start, at))
            start = None
    if start is not None:
        runs.append((start, len(profile)))
    return runs


def _merged(bands: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the bands with those that are too low for a line added to their neighbours."""
    if not bands:
        return []
    # Each band weighs as much as it is high, for there can be more dots than lines.
    heights = [bottom - top for top, bottom in bands]
    usual = statistics.median_high([height for height in heights for _ in range(height)])
    merged: list[tuple[int, int]] = []
    pending: int | None = None
    for at, (top, bottom) in enumerate(bands):
        start = top if pending is None else pending
        pending = None
        if bottom - top >= _LEAST_LINE * usual:
            merged.append((start, bottom))
            continue
        above = top - bands[at - 1][1] if at else float("inf")
        below = bands[at + 1][0] - bottom if at + 1 < len(bands) else float("inf")
        if merged and above <= below:
            merged[-1] = (merged[-1][0], bottom)
        else:
            pending = start
    if pending is not None:
        merged.append((pending, bands[-1][1]))
    return merged

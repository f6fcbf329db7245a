"""The order in which the pieces of a page are read.

Columns are found by the recursive XY-cut of Nagy and Seth ("Hierarchical
representation of optically scanned documents", ICPR 1984), with one change.
Cutting at every horizontal gap would cut columns whose lines stand level into
rows, so neighbouring strips are first put together for as long as a common
vertical gap, a gutter, runs through all of them. What spans the columns, such
as a title or a wide table, thereby separates the groups.
"""

import statistics
from collections.abc import Sequence
from typing import TypeVar

from docparser_runtime.layout.lines import Placed

P = TypeVar("P", bound=Placed)
Interval = tuple[float, float]

LEAST_GUTTER = 0.8
"""Narrowest gap between columns, in ems."""
LEAST_COLUMN = 5.0
"""Typical width of a line in the narrowest column of running text, in ems."""
LEAST_BESIDE_ONE = 4
"""Lines of the longest column from which a single line is a column beside it: the rest of a text
or what a figure leaves."""
LEAST_CONTINUED = 3
"""Lines below a wide gap that continue the column above them; fewer are a footer."""
LEAST_FILLED = 0.6
"""Typical share of the column's width that such lines have; shorter ones are a list."""
SECTION_GAP = 2.2
"""A horizontal gap of this many ems over the whole width ends a group of columns."""
_CORE_MARGIN = 0.25
"""Share of a line's height, at top and bottom, in which it may overlap its neighbours."""


Region = tuple[tuple[P, ...], ...]
"""Rows that are read one after the other, the pieces of a row from left to right."""


def regions(pieces: Sequence[P], em: float) -> list[Region[P]]:
    """Return the columns of a page and what lies between them, in reading order."""
    found: list[Region[P]] = []
    rows: list[tuple[P, ...]] = []
    for group in _continued(_groups(_strips(pieces, em), em), em):
        members = [piece for strip in group for piece in strip]
        columns = columns_of(members, LEAST_GUTTER * em)
        if _is_running_text(columns, em):
            if rows:
                found.append(tuple(rows))
                rows = []
            for column in columns:
                found.extend(regions(column, em))
        else:
            rows.extend(row for strip in group for row in rows_of(strip))
    if rows:
        found.append(tuple(rows))
    return found


def _strips(pieces: Sequence[P], em: float) -> list[list[P]]:
    """Return the pieces cut at every gap that runs across the whole width, from top to bottom."""
    strips: list[list[P]] = []
    bottom = float("-inf")
    for piece in sorted(pieces, key=lambda piece: _core(piece, em)[0]):
        top, end = _core(piece, em)
        if top > bottom:
            strips.append([])
        strips[-1].append(piece)
        bottom = max(bottom, end)
    return strips


def _core(piece: Placed, em: float) -> Interval:
    """Return top and bottom of a piece without the margin in which lines may touch."""
    box = piece.box
    margin = _CORE_MARGIN * min(box.bottom - box.top, em)
    return box.top + margin, box.bottom - margin


def _groups(strips: Sequence[list[P]], em: float) -> list[list[list[P]]]:
    """Return runs of strips, each as long as one gutter goes through all of its strips."""
    groups: list[list[list[P]]] = []
    covered: list[Interval] = []
    for strip in strips:
        own = [(piece.box.left, piece.box.right) for piece in strip]
        together = _covered([*covered, *own], LEAST_GUTTER * em)
        if groups and len(together) > 1 and not _is_apart(strip, groups[-1][-1], em):
            groups[-1].append(strip)
            covered = together
        else:
            groups.append([strip])
            covered = _covered(own, LEAST_GUTTER * em)
    return groups


def _continued(groups: Sequence[list[list[P]]], em: float) -> list[list[list[P]]]:
    """Return the groups, put together where those below are the rest of one column of the upper.

    A figure in the one column, level with the end of the other, leaves such a gap.
    """
    joined: list[list[list[P]]] = []
    at = 0
    while at < len(groups):
        group = groups[at]
        at += 1
        while (count := _rest_count(group, groups[at:], em)) >= LEAST_CONTINUED:
            group = [*group, *(strip for each in groups[at : at + count] for strip in each)]
            at += count
        joined.append(group)
    return joined


def _rest_count(group: list[list[P]], below: Sequence[list[list[P]]], em: float) -> int:
    """Return how many of the next groups fill one column of a group: each is a line or so."""
    sides = [(piece.box.left, piece.box.right) for strip in group for piece in strip]
    columns = _covered(sides, LEAST_GUTTER * em)
    if len(columns) < 2 or not below:  # noqa: PLR2004
        return 0
    first = below[0][0][0].box
    fitting = (column for column in columns if column[0] - em <= first.left < column[1])
    start, end = next(fitting, (0.0, 0.0))
    widths: list[float] = []
    count = 0
    for lower in below:
        boxes = [piece.box for strip in lower for piece in strip]
        is_beyond = any(box.left < start - em or box.right > end + em for box in boxes)
        if is_beyond or (count > 0 and _is_apart(lower[0], below[count - 1][-1], em)):
            break
        widths += (box.right - box.left for box in boxes)
        count += 1
    return count if count and statistics.median(widths) >= LEAST_FILLED * (end - start) else 0


def _is_apart(strip: Sequence[Placed], above: Sequence[Placed], em: float) -> bool:
    end = max(piece.box.bottom for piece in above)
    return min(piece.box.top for piece in strip) - end > SECTION_GAP * em


def _covered(intervals: Sequence[Interval], gutter: float) -> list[Interval]:
    """Return what the intervals cover; gaps narrower than `gutter` count as covered."""
    covered: list[Interval] = []
    for left, right in sorted(intervals):
        if covered and left - covered[-1][1] < gutter:
            covered[-1] = (covered[-1][0], max(covered[-1][1], right))
        else:
            covered.append((left, right))
    return covered


def columns_of(pieces: Sequence[P], gutter: float) -> list[list[P]]:
    """Return the pieces cut at every vertical gap of at least `gutter`, from left to right."""
    columns: list[list[P]] = []
    right = float("-inf")
    for piece in sorted(pieces, key=lambda piece: piece.box.left):
        if piece.box.left - right >= gutter:
            columns.append([])
        columns[-1].append(piece)
        right = max(right, piece.box.right)
    return columns


def _is_running_text(columns: Sequence[Sequence[Placed]], em: float) -> bool:
    """Whether columns are to be read one after the other, and not across like a form."""
    counts = [len(column) for column in columns]
    if len(columns) < 2 or (min(counts) == 1 and max(counts) < LEAST_BESIDE_ONE):  # noqa: PLR2004
        return False
    return all(
        statistics.median(piece.box.right - piece.box.left for piece in column) >= LEAST_COLUMN * em
        for column in columns
    )


def rows_of(pieces: Sequence[P]) -> list[tuple[P, ...]]:
    """Return the pieces row by row; those of a row overlap by half of their height."""
    rows: list[list[P]] = []
    for piece in sorted(pieces, key=lambda piece: (piece.box.top + piece.box.bottom) / 2):
        if rows and _is_level(piece, rows[-1][-1]):
            rows[-1].append(piece)
        else:
            rows.append([piece])
    return [tuple(sorted(row, key=lambda piece: piece.box.left)) for row in rows]


def _is_level(piece: Placed, other: Placed) -> bool:
    overlap = min(piece.box.bottom, other.box.bottom) - max(piece.box.top, other.box.top)
    lower = min(piece.box.bottom - piece.box.top, other.box.bottom - other.box.top)
    return overlap >= lower / 2

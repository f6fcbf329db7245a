"""Which lines of a column belong together, and how their texts are joined."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from docparser_runtime.engine.base import Box
from docparser_runtime.layout.lines import TextLine, enclosing, mean_confidence, typical_size

LARGE_GAP = 1.25
"""Distance of baselines between paragraphs, as a multiple of that within them."""
WIDEST_LEADING = 2.6
"""Distance of baselines within paragraphs, in ems, that is not exceeded: double spacing."""
INDENT = 0.8
"""Indent of a first line, in ems."""
OTHER_SIZE = 1.25
"""Ratio of type sizes from which two lines are of different kinds."""
ROOM_FOR_WORD = 1.0
"""Room that must be left, in ems, for a word to have fitted on the line before."""
MUCH_ROOM = 0.3
"""Share of the column that a line leaves free only at the end of its paragraph."""

_CLEAR_MARK = re.compile(r"(?:[•●○▪■◦‣∙]|\(?(?:\d{1,3}|[A-Za-z]|[ivx]{2,5})\))\s+\S")
_LIKELY_MARK = re.compile(r"(?:[·*–—-]|\d{1,3}\.)\s+\S")  # noqa: RUF001 - dashes are meant
"""Bullets and numbers of items; a dash or a date can begin a line in mid-sentence, too."""
_HYPHENATED = re.compile(r"[^\W\d_]-")
_SENTENCE_END = (".", "!", "?", ":", "。", "！", "？", "：", '."', ".)", ".”")  # noqa: RUF001
_FIRST_IDEOGRAPH = "\u2e80"


@dataclass(frozen=True)
class Paragraph:
    """Lines that belong together, from top to bottom."""

    lines: tuple[TextLine, ...]

    @property
    def box(self) -> Box:
        """Where it stands."""
        return enclosing(line.box for line in self.lines)

    @property
    def text(self) -> str:
        """Its lines as one text."""
        return joined([line.text for line in self.lines])

    @property
    def confidence(self) -> float:
        """Mean confidence of its letters."""
        return mean_confidence(self.lines)


def paragraphs(lines: Sequence[TextLine]) -> list[Paragraph]:
    """Return the `lines` of one column, from top to bottom, as paragraphs."""
    if not lines:
        return []
    column = enclosing(line.box for line in lines)
    largest = LARGE_GAP * _leading(lines)
    found: list[list[TextLine]] = []
    for line in lines:
        gap = line.baseline - found[-1][-1].baseline if found else 0.0
        if found and gap <= largest and not _begins(line, found[-1], column):
            found[-1].append(line)
        else:
            found.append([line])
    return [Paragraph(tuple(members)) for members in found]


def is_item(text: str) -> bool:
    """Whether a text begins with a bullet or a number, as an item of a list does."""
    return bool(_CLEAR_MARK.match(text) or _LIKELY_MARK.match(text))


def merged(row: Sequence[TextLine]) -> TextLine:
    """Return the pieces of one row, from left to right, as one line."""
    return TextLine(
        " ".join(piece.text for piece in row),
        enclosing(piece.box for piece in row),
        typical_size(row),
        mean_confidence(row),
    )


def joined(texts: Sequence[str]) -> str:
    """Return the texts of consecutive lines as one.

    A hyphen between a letter and a small letter is taken for one that only
    the end of the line made. Lines of Chinese or Japanese join without space.
    """
    whole = ""
    for text in texts:
        if not whole or (whole[-1] >= _FIRST_IDEOGRAPH and text[:1] >= _FIRST_IDEOGRAPH):
            whole += text
        elif _HYPHENATED.fullmatch(whole[-2:]) and text[:1].islower():
            whole = whole[:-1] + text
        else:
            whole += " " + text
    return whole


def _leading(lines: Sequence[TextLine]) -> float:
    """Return the usual distance of the baselines within the paragraphs of a column."""
    distances = sorted(
        below.baseline - above.baseline
        for above, below in pairwise(lines)
        if max(above.size, below.size) <= OTHER_SIZE * min(above.size, below.size)
    )
    widest = WIDEST_LEADING * typical_size(lines)
    # There are more lines within paragraphs than between them, mostly; hence not the median.
    return min(widest, distances[len(distances) // 3]) if distances else widest


def _begins(line: TextLine, before: Sequence[TextLine], column: Box) -> bool:
    """Whether `line` begins a paragraph after the lines `before` of the same column."""
    last = before[-1]
    em = max(line.size, last.size)
    if em > OTHER_SIZE * min(line.size, last.size):
        return True
    if _CLEAR_MARK.match(line.text):
        return True
    has_ended = _ended(line, last, column)
    after_item = is_item(before[0].text)
    if _LIKELY_MARK.match(line.text):
        return after_item or has_ended or last.text.endswith(_SENTENCE_END)
    if after_item:
        # Its further lines are indented to its text.
        return has_ended and line.box.left < before[0].box.left + INDENT * em
    is_indented = line.box.left > max(last.box.left, column.left) + INDENT * em
    return is_indented or has_ended


def _ended(line: TextLine, last: TextLine, column: Box) -> bool:
    """Whether `last` stops although the first word of `line` would have fitted behind it."""
    room = column.right - last.box.right
    if room > MUCH_ROOM * (column.right - column.left):
        return True
    letter = (line.box.right - line.box.left) / max(len(line.text), 1)
    word = (len(line.text.split(maxsplit=1)[0]) + 1) * letter if line.text.split() else 0
    return room - word > ROOM_FOR_WORD * line.size and last.text.endswith(_SENTENCE_END)

"""Which words of a text stand on which of its lines, when only the lines' lengths are known."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from docparser_runtime.outputs.letter_widths import text_width
from docparser_runtime.outputs.scripts import is_ideographic

_SPACE = 0.32
_SLACK = 1.5
"""Lines by which a line may end before or after where the lengths suggest."""
_MOST_STOPS = 48
"""Words at which a line may end at most: text without end must not take time without end."""
_RUN_ON = 1.0
"""What it costs, in squared shares of a line, if a line runs on where the text breaks."""


@dataclass(frozen=True)
class _Word:
    """A word with the space before it.

    Attributes:
        text: with the space.
        width: in ems.
        begins_line: whether the text breaks before it.
    """

    text: str
    width: float
    begins_line: bool


def broken(text: str, lengths: Sequence[float]) -> list[str]:
    """Return `text` in as many lines as there are `lengths`, each about as long as given.

    Lengths are positive, in any unit. Every word is in one of the lines; a line may be empty if
    there are fewer words than lines.
    """
    words = _words(text)
    if not words or not lengths:
        return ["" for _ in lengths]
    starts = _starts(words, lengths)
    return [
        "".join(word.text for word in words[start:end]).strip()
        for start, end in pairwise([*starts, len(words)])
    ]


def _words(text: str) -> list[_Word]:
    words: list[_Word] = []
    for line in text.split("\n"):
        begins_line = bool(words)
        for match in re.finditer(r"\S+", line):
            space = " " if words else ""
            for piece in _breakable(match.group()):
                width = text_width(piece) + len(space) * _SPACE
                words.append(_Word(space + piece, width, begins_line))
                space, begins_line = "", False
    return words


def _breakable(word: str) -> list[str]:
    """Return the parts of a word between which a line may break: ideographs stand alone."""
    parts = [""]
    for letter in word:
        if parts[-1] and (is_ideographic(letter) or is_ideographic(parts[-1][-1])):
            parts.append(letter)
        else:
            parts[-1] += letter
    return parts


def _starts(words: Sequence[_Word], lengths: Sequence[float]) -> list[int]:
    """Return the first word of each line: that division which fits the lengths best.

    Dynamic programming over lines and breaks, as in setting paragraphs (Knuth and Plass, "Breaking
    paragraphs into lines", 1981); what counts is the distance from the given lengths.
    """
    fit = _Fit(words, lengths)
    costs = {0: 0.0}
    ways: list[dict[int, int]] = []
    for line in range(len(lengths)):
        way: dict[int, int] = {}
        costs_here: dict[int, float] = {}
        for stop in fit.stops(line):
            reachable = (start for start in costs if start <= stop)
            start = min(reachable, key=lambda start: costs[start] + fit.cost(line, start, stop))
            costs_here[stop] = costs[start] + fit.cost(line, start, stop)
            way[stop] = start
        costs = costs_here
        ways.append(way)
    starts = [len(words)]
    for way in reversed(ways):
        starts.append(way[starts[-1]])
    return starts[:0:-1]


class _Fit:
    """How well words fit on lines."""

    def __init__(self, words: Sequence[_Word], lengths: Sequence[float]) -> None:
        self._lengths = lengths
        self._ends = [*accumulate(lengths)]
        widths = _sums(word.width for word in words)
        scale = self._ends[-1] / max(widths[-1], _SPACE)
        self._reached = [scale * width for width in widths]
        self._breaks = [*_sums(word.begins_line for word in words), 0]

    def stops(self, line: int) -> Iterable[int]:
        """Return the words with which the next line may begin; of the last line, the end."""
        last = len(self._reached) - 1
        if line == len(self._lengths) - 1:
            return [last]
        end, slack = self._ends[line], _SLACK * max(self._lengths)
        closest = sorted(range(last + 1), key=lambda at: abs(self._reached[at] - end))
        near = [at for at in closest[:_MOST_STOPS] if abs(self._reached[at] - end) <= slack]
        return sorted(near) or closest[:1]

    def cost(self, line: int, start: int, stop: int) -> float:
        """Return how badly the words from `start` to before `stop` fit on `line`."""
        length = self._lengths[line]
        off = (self._reached[stop] - self._reached[start] - length) / length
        # A break of the text before the first word is where it should be.
        breaks = self._breaks[stop] - self._breaks[start + 1] if stop > start else 0
        return off * off + _RUN_ON * breaks


def _sums(values: Iterable[float]) -> list[float]:
    return [0.0, *accumulate(values)]

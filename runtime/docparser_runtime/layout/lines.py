"""A line of text, and what its letters say about the size of the type."""

import statistics
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from docparser_runtime.engine.base import Box

_ASCENT = 0.72
_X_HEIGHT = 0.49
_SHORT_ASCENT = 0.64
_DESCENT = 0.21
_COMMA = 0.13
_IDEOGRAPH = 0.9
_IDEOGRAPH_DESCENT = 0.1
"""Heights of letters as shares of the type size, as common Latin and Chinese faces have them."""

_SHORT = frozenset("tij")
_LOW = frozenset("acemnorsuvwxz.,;:-–—~_=+<>·•…")  # noqa: RUF001 - dashes are meant
_HANGING = frozenset("gpqy")
_DEEP = _HANGING | frozenset("jQ()[]{}|/@$§")
_COMMAS = frozenset(",;")
_FIRST_IDEOGRAPH = "\u2e80"


class Placed(Protocol):
    """Something with a place on the page."""

    @property
    def box(self) -> Box:
        """Where it stands."""
        ...


@dataclass(frozen=True)
class TextLine:
    """A line of text as it was read.

    Attributes:
        text: what it says, without white space around.
        box: the ink, tightly.
        size: size of the type in pixels; one em.
        confidence: 0 to 1.
    """

    text: str
    box: Box
    size: float
    confidence: float

    @property
    def baseline(self) -> float:
        """Where the letters stand; commas and the tails of some letters hang below it."""
        return self.box.bottom - _descent(frozenset(self.text)) * self.size


def type_size(text: str, ink_height: float) -> float:
    """Return the size of the type in which `text` has ink of the given height.

    "ear" and "Egg" in the same type differ in height by half, hence the look
    at the letters.
    """
    letters = frozenset(text) - {" "}
    if any(letter >= _FIRST_IDEOGRAPH for letter in letters):
        return ink_height / _IDEOGRAPH
    tall = letters - _LOW - _HANGING
    above = _ASCENT if tall - _SHORT else _SHORT_ASCENT if tall else _X_HEIGHT
    return ink_height / (above + _descent(letters))


def _descent(letters: frozenset[str]) -> float:
    if any(letter >= _FIRST_IDEOGRAPH for letter in letters):
        return _IDEOGRAPH_DESCENT
    return _DESCENT if letters & _DEEP else _COMMA if letters & _COMMAS else 0.0


def typical_size(lines: Iterable[TextLine]) -> float:
    """Return the median type size, each line weighing as much as it has letters; 1 if none."""
    sizes = [size for line in lines for size in [line.size] * len(line.text)]
    return statistics.median(sizes) if sizes else 1.0


def mean_confidence(lines: Iterable[TextLine]) -> float:
    """Return the mean confidence of all letters; 0 if there are none."""
    several = [*lines]
    letters = sum(len(line.text) for line in several)
    return sum(line.confidence * len(line.text) for line in several) / max(letters, 1)


def enclosing(boxes: Iterable[Box]) -> Box:
    """Return the smallest box around `boxes`, of which there is at least one."""
    several = [*boxes]
    return Box(
        min(box.left for box in several),
        min(box.top for box in several),
        max(box.right for box in several),
        max(box.bottom for box in several),
    )

"""How wide letters are in an ordinary typeface: enough to tell where in a line a word stands."""

import unicodedata
from functools import lru_cache
from itertools import chain

from docparser_runtime.outputs.scripts import clusters, is_ideographic

_GROUPS = (
    ("ijl'|.,:;!`", 0.26),
    ('ftrI()[]{}/\\ -"\u00b7', 0.32),
    ("JczksvxyT*?", 0.5),
    ("wCDGHKNOQRUVXY&", 0.7),
    ("mMW%@\u2014\u2026", 0.88),
)
_WIDTHS = dict(
    chain.from_iterable(((letter, width) for letter in group) for group, width in _GROUPS)
)
_ORDINARY = 0.56
_CAPITAL = 0.66
_IDEOGRAPH = 1.0
LETTER_WIDTHS = tuple(sorted({*_WIDTHS.values(), _ORDINARY, _CAPITAL, _IDEOGRAPH}))
"""All widths that there are, in ems."""
_REMEMBERED = 4096
_CAPITALS = ("Lu", "Lt")


@lru_cache(_REMEMBERED)
def letter_width(letter: str) -> float:
    """Return the width of a character in ems; of one with marks, that of its first."""
    first = letter[0]
    known = _WIDTHS.get(first)
    if known is not None:
        return known
    if is_ideographic(first) or unicodedata.east_asian_width(first) in "WF":
        return _IDEOGRAPH
    return _CAPITAL if unicodedata.category(first) in _CAPITALS else _ORDINARY


def text_width(text: str) -> float:
    """Return the width of `text` in ems."""
    return sum(map(letter_width, clusters(text)))

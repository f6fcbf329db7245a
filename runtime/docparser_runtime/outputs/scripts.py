"""What kind of writing a letter belongs to, as far as joining and placing text depends on it."""

import unicodedata
from bisect import bisect_right

_IDEOGRAPHIC = (
    (0x2E80, 0x3130),  # radicals, punctuation, kana, bopomofo; Hangul has spaces
    (0x31A0, 0xA000),
    (0xF900, 0xFB00),
    (0xFE30, 0xFE50),
    (0xFF00, 0xFFA0),
    (0x20000, 0x40000),
)
_LONGEST_CLUSTER = 16
_STARTS = [start for start, _ in _IDEOGRAPHIC]


def is_ideographic(letter: str) -> bool:
    """Return whether `letter`, one character, belongs to a writing without spaces (CJK)."""
    code = ord(letter)
    slot = bisect_right(_STARTS, code) - 1
    return slot >= 0 and code < _IDEOGRAPHIC[slot][1]


def is_caseless(letter: str) -> bool:
    """Return whether `letter` is one of a writing that knows no capitals."""
    return unicodedata.category(letter) == "Lo"


def is_right_to_left(letter: str) -> bool:
    """Return whether `letter` is written from right to left."""
    return unicodedata.bidirectional(letter) in ("R", "AL")


def clusters(text: str) -> list[str]:
    """Return the letters of `text`, each with the marks and joiners that follow it."""
    if text.isascii():
        return [*text]
    found: list[str] = []
    for letter in text:
        is_mark = unicodedata.category(letter) in ("Mn", "Me", "Cf")
        if is_mark and found and len(found[-1]) < _LONGEST_CLUSTER:
            found[-1] += letter
        else:
            found.append(letter)
    return found

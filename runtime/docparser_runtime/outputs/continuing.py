"""Whether what begins a page goes on with what ended the page before."""

import re
from collections.abc import Sequence
from statistics import fmean

from rapidfuzz import fuzz

from docparser_runtime.engine.base import Box
from docparser_runtime.layout.paragraphs import is_item
from docparser_runtime.outputs.scripts import is_caseless, is_ideographic

HYPHENS = ("-", "\N{HYPHEN}", "\N{SOFT HYPHEN}")
SHORTEST_IDEOGRAPHIC = 20
SHORTEST_CASELESS = 40
"""Letters from which a text without a full stop is a paragraph that was cut, and no caption, in
writings without capitals."""
SAME_EDGE = 0.03
"""Most distance of the edges of a table's parts, as a share of the page's width."""
SAME_HEAD = 85
"""Likeness of a repeated head in percent."""
_MOSTLY = 0.5

_SENTENCE_ENDS = frozenset(".!?:\u2026\u3002\uff01\uff1f\uff1a\uff0e\u061f\u06d4\u0964\u17d4")
_CLOSING = "\"'\u201d\u2019\u00bb\u203a)]}\uff09\u300d\u300f\u3011\u300b"
_OPENING = "\"'\u201c\u2018\u201e\u00ab\u2039([{\u00bf\u00a1"
_CAPTION = re.compile(
    r"(?:fig(?:ure|ura)?|tab(?:le|elle|leau)?|abb(?:ildung)?|plate)\.?\s*\d|[図圖图表]\s*\d",
    re.IGNORECASE,
)
_NEW_SECTION = re.compile(
    r"[第（(]?[一二三四五六七八九十百\d]+[章节節条條款、．.）)]"  # noqa: RUF001 - as they are written
)
_FIGURES = re.compile(r"[^\w]*\d[\d\s.,%:/€$£-]*[^\w]*")


def is_hyphenated(before: str, after: str) -> bool:
    """Return whether a hyphen at the end of `before` parts a word that goes on in `after`."""
    return before.endswith(HYPHENS) and before[-2:-1].isalpha() and after[:1].islower()


def goes_on(before: str, after: str) -> bool:
    """Return whether the paragraph `after` is the rest of the paragraph `before`."""
    last = before.rstrip().rstrip(_CLOSING)[-1:]
    first = after.lstrip().lstrip(_OPENING)[:1]
    if not last or not first or last in _SENTENCE_ENDS:
        return False
    if is_item(after) or _CAPTION.match(before) or _CAPTION.match(after):
        return False
    if first.islower():
        return True
    if not first.isalpha() or not is_caseless(first) or after.lstrip()[:1] != first:
        return False
    if is_ideographic(first):
        return (
            is_ideographic(last)
            and len(before) >= SHORTEST_IDEOGRAPHIC
            and not _NEW_SECTION.match(after)
        )
    return is_caseless(last) and len(before) >= SHORTEST_CASELESS


def between(before: str, after: str) -> str:
    """Return what is to stand between two parts of a sentence: a space, or nothing."""
    end, start = before[-1:], after[:1]
    return "" if end and start and is_ideographic(end) and is_ideographic(start) else " "


def repeats_head(head: Sequence[str], row: Sequence[str]) -> bool:
    """Return whether `row` is the table's `head` once more."""
    one, other = (" ".join(" ".join(cells).casefold().split()) for cells in (head, row))
    return bool(one) and fuzz.ratio(one, other) >= SAME_HEAD


def is_other_table(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether `rows` begin with a head of their own: words above columns of figures."""
    first, *rest = rows
    if not rest or any(map(_is_figure, first)):
        return False
    columns = zip(*rest, strict=True)
    return any(fmean(map(_is_figure, column)) > _MOSTLY for column in columns)


def same_edges(one: Box | None, other: Box | None, widths: tuple[int, int]) -> bool:
    """Return whether two boxes, on pages of the given widths, are equally wide; yes if unknown."""
    if one is None or other is None or min(widths) <= 0:
        return True
    left = abs(one.left / widths[0] - other.left / widths[1])
    right = abs(one.right / widths[0] - other.right / widths[1])
    return max(left, right) <= SAME_EDGE


def _is_figure(cell: str) -> bool:
    return _FIGURES.fullmatch(cell.strip()) is not None

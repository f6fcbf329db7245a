"""Text in the order in which its letters stand on the line, from left to right.

Readers of PDF files expect Hebrew and Arabic that way and turn it round again. This is the part of
the Unicode bidirectional algorithm that lines of print need: runs by the direction of their
letters, numbers from left to right, and neutral signs with their neighbours. Embeddings are left
out; their marks do not come from print.
"""

import unicodedata
from itertools import groupby

from docparser_runtime.outputs.scripts import clusters, is_right_to_left

_RIGHT_TO_LEFT = "R"
_LEFT_TO_RIGHT = "L"
_NUMBER = "N"
_NEUTRAL = ""
_MIRRORED = str.maketrans("()[]{}<>\u00ab\u00bb", ")(][}{><\u00bb\u00ab")


def visual_order(text: str) -> str:
    """Return the letters of one line from left to right."""
    if not any(map(is_right_to_left, text)):
        return text
    letters = clusters(text)
    strong = (_LEFT_TO_RIGHT, _RIGHT_TO_LEFT)
    base = next(kind for kind in map(_kind, letters) if kind in strong)
    kinds = _resolved([*map(_kind, letters)], base)
    pairs = zip(kinds, letters, strict=True)
    runs = [(kind, [cluster for _, cluster in run]) for kind, run in groupby(pairs, lambda p: p[0])]
    if base == _RIGHT_TO_LEFT:
        runs.reverse()
        return "".join(_laid_out(kind, run) for kind, run in runs)
    # Numbers among letters that run to the left stand on the left of what they follow.
    shown: list[tuple[str, list[str]]] = []
    for is_left, several in groupby(runs, lambda run: run[0] == _LEFT_TO_RIGHT):
        part = [*several]
        shown.extend(part if is_left else reversed(part))
    return "".join(_laid_out(kind, run) for kind, run in shown)


def _laid_out(kind: str, run: list[str]) -> str:
    if kind != _RIGHT_TO_LEFT:
        return "".join(run)
    return "".join(cluster.translate(_MIRRORED) for cluster in reversed(run))


def _kind(cluster: str) -> str:
    direction = unicodedata.bidirectional(cluster[0])
    if direction in ("R", "AL"):
        return _RIGHT_TO_LEFT
    if direction in ("EN", "AN"):
        return _NUMBER
    return _LEFT_TO_RIGHT if direction == "L" else _NEUTRAL


def _resolved(kinds: list[str], base: str) -> list[str]:
    """Return the kinds with a direction for what has none of its own."""
    resolved = [*kinds]
    at = 0
    for kind, run in groupby(kinds):
        length = len([*run])
        if kind == _NEUTRAL:
            before = resolved[at - 1] if at else base
            after = kinds[at + length] if at + length < len(kinds) else base
            # A point or a comma within a number is a part of it.
            inner = before if before == after and (before != _NUMBER or length == 1) else base
            resolved[at : at + length] = [inner] * length
        at += length
    return resolved

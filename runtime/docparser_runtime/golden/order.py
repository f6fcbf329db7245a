"""How far the blocks of a document follow each other as expected.

OmniDocBench (Ouyang et al., arXiv 2412.07626, 2024) measures the reading order by the normalised
edit distance between the expected sequence of blocks and the sequence in which they were found.
Here the value is 1 minus that, so that more is better. Engines cut text into blocks differently;
so a block is not paired with a block but looked for in the whole text.
"""

from collections.abc import Sequence
from typing import Final

from rapidfuzz import fuzz
from rapidfuzz.distance import Levenshtein

LEAST_SIMILARITY: Final = 70
"""Percent of its characters with which a block still counts as found. Unrelated English text
reaches about 50 by chance."""
MOST_TIMES_LONGER: Final = 10
"""Only so many times the expected length is searched: what is longer is an endless loop."""
_BETWEEN: Final = "\n"
"""Stands between blocks; no block holds it."""
_USED: Final = "\0"
"""Stands where a block was found, so that no other is found there."""


def reading_order(expected: Sequence[str], actual: Sequence[str]) -> float:
    """Return 1 when all blocks were found in order, 0 when none was found."""
    if not expected:
        return 1.0
    most = MOST_TIMES_LONGER * sum(len(block) + len(_BETWEEN) for block in expected)
    places = _places(expected, _BETWEEN.join(actual)[:most])
    found = sorted(places, key=lambda index: places[index])
    return 1 - Levenshtein.normalized_distance(range(len(expected)), found)


def _places(blocks: Sequence[str], text: str) -> dict[int, int]:
    """Return where in `text` each block that can be found begins, by the block's index."""
    places: dict[int, int] = {}
    # Longest first: a short block may also be a part of a long one.
    for index in sorted(range(len(blocks)), key=lambda index: -len(blocks[index])):
        place = _find(blocks[index], text)
        if place is not None:
            start, end = place
            places[index] = start
            text = text[:start] + _USED * (end - start) + text[end:]
    return places


def _find(block: str, text: str) -> tuple[int, int] | None:
    start = text.find(block)
    if start >= 0:
        return start, start + len(block)
    if len(text) < len(block) * LEAST_SIMILARITY / 100:
        return None
    found = fuzz.partial_ratio_alignment(block, text, score_cutoff=LEAST_SIMILARITY)
    return None if found is None else (found.dest_start, found.dest_end)

"""Pure: how well a Markdown text agrees with the expected one."""

from dataclasses import dataclass
from typing import Final

from rapidfuzz.distance import Levenshtein

from docparser_runtime.golden.order import reading_order
from docparser_runtime.golden.pieces import Piece, Table, pieces, plain_text
from docparser_runtime.golden.tables import table_similarity

MOST_TIMES_LONGER: Final = 20
SPARE_CHARACTERS: Final = 10_000
"""An answer is scored up to so many times the length of the expected Markdown, and some more. That
leaves room for the tags of tables as HTML; what is longer is an endless loop, whose scores are bad
enough, while the parser could need hours for it."""


@dataclass(frozen=True)
class Scores:
    """How well one document was read.

    Attributes:
        character_error_rate: edit distance of the plain texts per expected character, at most 1;
            less is better.
        reading_order: 0 to 1, more is better; see `order`.
        table_similarity: 0 to 1, more is better; None when no table is expected. See `tables`.
    """

    character_error_rate: float
    reading_order: float
    table_similarity: float | None


def scores(expected_markdown: str, actual_markdown: str) -> Scores:
    """Return how well `actual_markdown` agrees with `expected_markdown`."""
    most = MOST_TIMES_LONGER * len(expected_markdown) + SPARE_CHARACTERS
    expected, actual = pieces(expected_markdown), pieces(actual_markdown[:most])
    return Scores(
        character_error_rate(plain_text(expected), plain_text(actual)),
        reading_order([piece.text for piece in expected], [piece.text for piece in actual]),
        table_similarity(_tables(expected), _tables(actual)),
    )


def worst_scores(expected_markdown: str) -> Scores:
    """Return the scores of a document that was not read."""
    has_tables = bool(_tables(pieces(expected_markdown)))
    return Scores(1.0, 0.0, 0.0 if has_tables else None)


def character_error_rate(expected: str, actual: str) -> float:
    """Return the edit distance per character of `expected`, at most 1."""
    longest = max(len(expected), 1)
    return min(Levenshtein.distance(expected, actual, score_cutoff=longest) / longest, 1.0)


def _tables(found: tuple[Piece, ...]) -> list[Table]:
    return [piece.table for piece in found if piece.table is not None]

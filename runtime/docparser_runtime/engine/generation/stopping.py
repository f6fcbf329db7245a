"""When a text is over: its own end, its longest length, a loop, or a page too many."""

from collections.abc import Collection
from enum import StrEnum

from docparser_runtime.engine.generation.loops import TOKEN_LOOPS, LoopDetector


class Stop(StrEnum):
    """Why nothing more is written."""

    END = "end"
    LENGTH = "length"
    LOOP = "loop"
    PAGES = "pages"

    @property
    def is_truncation(self) -> bool:
        """Whether something of the page may be missing."""
        return self in (Stop.LENGTH, Stop.LOOP)


class TokenStops:
    """Follows one text by its tokens."""

    def __init__(self, ends: Collection[int], max_new_tokens: int) -> None:
        self._ends = frozenset(ends)
        self._left = max_new_tokens
        self._loops = LoopDetector(TOKEN_LOOPS)

    def add(self, token: int) -> Stop | None:
        """Return why the text is over with `token`; None if it goes on.

        A token that is an end is no part of the text.
        """
        if token in self._ends:
            return Stop.END
        self._left -= 1
        if self._loops.add(token):
            return Stop.LOOP
        return None if self._left > 0 else Stop.LENGTH

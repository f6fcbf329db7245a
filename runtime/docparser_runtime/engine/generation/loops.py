"""Notices a text that goes round in circles, however large: what a guard's window does not hold."""

from collections.abc import Hashable
from dataclasses import dataclass


@dataclass(frozen=True)
class LoopPolicy:
    """From when on repetition is a loop.

    Attributes:
        rounds: how often the same comes one after the other.
        symbols: how long all rounds are together, at least.
        clue: symbols that must come again before a loop is suspected.
    """

    rounds: int
    symbols: int
    clue: int

    def __post_init__(self) -> None:
        """Refuse what would take any text for a loop."""
        if self.rounds < 2 or min(self.symbols, self.clue) < 1:  # noqa: PLR2004 - once is no loop
            raise ValueError("a loop has two rounds or more, of one symbol or more")


TOKEN_LOOPS = LoopPolicy(rounds=10, symbols=400, clue=8)
"""Tokens: ten times the same header of a page, or as many equal rows of a table as no page has."""
BLOCK_LOOPS = LoopPolicy(rounds=12, symbols=36, clue=1)
"""Blocks, with their text but without their places: those differ from round to round."""


class LoopDetector:
    """Follows a sequence of symbols, in constant time for each."""

    def __init__(self, policy: LoopPolicy) -> None:
        self._policy = policy
        self._symbols: list[Hashable] = []
        # By hash: thousands of tuples for each of hundreds of texts would take their room.
        self._last: dict[int, int] = {}
        self._period = 0
        self._matched = 0

    def add(self, symbol: Hashable) -> bool:
        """Return whether the sequence ends in a loop, now that `symbol` has come."""
        self._symbols.append(symbol)
        before = self._suspicion()
        if self._period and self._symbols[-1 - self._period] == symbol:
            self._matched += 1
        elif before:
            self._period, self._matched = len(self._symbols) - before, self._policy.clue
        else:
            self._period = 0
        return bool(self._period) and self._is_long()

    def _suspicion(self) -> int:
        """Return where the last few symbols ended when they came before; 0 if they did not."""
        clue, end = self._policy.clue, len(self._symbols)
        if end < clue:
            return 0
        recent = self._symbols[-clue:]
        key = hash(tuple(recent))
        before = self._last.get(key, 0)
        self._last[key] = end
        return before if self._symbols[before - clue : before] == recent else 0

    def _is_long(self) -> bool:
        # What was matched is all rounds but the first.
        length = self._matched + self._period
        return length >= max(self._policy.symbols, self._policy.rounds * self._period)

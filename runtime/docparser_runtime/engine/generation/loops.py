"""Notices a text that goes round in circles, however large: what a guard's window does not hold."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Final

_GROWTH: Final = 4
_CLUES: Final = 4
"""Number of clues of growing length, and how much longer each is than the one before."""
_BASE: Final = 1_000_003
_PRIME: Final = (1 << 61) - 1


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
        """Refuse what would take any text for a loop, or could not find one in time."""
        if self.rounds <= _GROWTH or min(self.symbols, self.clue) < 1:
            raise ValueError(f"a loop has more than {_GROWTH} rounds, of one symbol or more")


TOKEN_LOOPS: Final = LoopPolicy(rounds=10, symbols=400, clue=8)
"""Tokens: ten times the same header of a page, or as many equal rows of a table as no page has."""
BLOCK_LOOPS: Final = LoopPolicy(rounds=12, symbols=60, clue=1)
"""Blocks, with their text but without their places: those differ from round to round."""


class LoopDetector:
    """Follows a sequence of symbols, in constant time for each.

    Rounds of up to 64 times the policy's clue are found; longer ones when nothing within them
    misleads.
    """

    def __init__(self, policy: LoopPolicy) -> None:
        self._policy = policy
        self._symbols: list[int] = []
        self._sums = [0]
        # Within a round parts of it may come again, but nothing that is as long as the round. So
        # for each length of rounds there is a clue that is not misled, and not much longer.
        lengths = [policy.clue * _GROWTH**power for power in range(_CLUES)]
        self._trails = [_Trail(length) for length in lengths]

    def add(self, symbol: Hashable) -> bool:
        """Return whether the sequence ends in a loop, now that `symbol` has come."""
        number = hash(symbol)
        self._symbols.append(number)
        self._sums.append((self._sums[-1] * _BASE + number) % _PRIME)
        is_loop = False
        for trail in self._trails:
            period = trail.follow(self._symbols, self._sums)
            if period:
                least = max(self._policy.symbols, self._policy.rounds * period)
                is_loop |= trail.matched + period >= least
        return is_loop


class _Trail:
    """Suspects a loop when the last `length` symbols have come before, and follows it.

    Attributes:
        matched: symbols that were the same a round before: all rounds but the first.
    """

    def __init__(self, length: int) -> None:
        self.matched = 0
        self._length = length
        # Some places are enough: the end of the sequence passes each of them once a round.
        self._every = max(1, length // 2)
        self._places: dict[int, int] = {}
        self._factor = pow(_BASE, length, _PRIME)
        self._period = 0

    def follow(self, symbols: list[int], sums: list[int]) -> int:
        """Return how long a round is at the end of `symbols`; 0 if they do not go round.

        Args:
            symbols: the whole sequence.
            sums: for each beginning of it a number that tells it from others.
        """
        end = len(symbols)
        before = None
        if end >= self._length:
            key = (sums[-1] - sums[-1 - self._length] * self._factor) % _PRIME
            before = self._places.get(key)
            if end % self._every == 0:
                self._places[key] = end
        if self._period and symbols[-1 - self._period] == symbols[-1]:
            self.matched += 1
        elif before is not None:
            self._period, self.matched = end - before, self._length
        else:
            self._period = 0
        return self._period

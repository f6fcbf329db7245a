"""The guard against repetition: what may not be written next, since it was written just before.

This is the reference in plain Python; on a GPU the same is computed for a whole batch.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from docparser_api.model_sizes import Family

CELL_BEGIN: Final = 128_821
CELL_END: Final = 128_822
"""Tokens `<td>` and `</td>`, in both families. Tables may have as many empty cells as they like."""


@dataclass(frozen=True)
class GuardPolicy:
    """When a token counts as repetition.

    Attributes:
        run: tokens that may not come a second time in the same order.
        window: last tokens within which they may not.
        allowed: tokens that may always be written.
    """

    run: int
    window: int
    allowed: frozenset[int] = frozenset({CELL_BEGIN, CELL_END})

    def __post_init__(self) -> None:
        """Refuse a guard that could ban nothing."""
        if not 2 <= self.run <= self.window:  # noqa: PLR2004 - one token would end all text
            raise ValueError("a run has two tokens or more and fits into its window")


def guard_policy(family: Family, pages: int) -> GuardPolicy:
    """Return what suits a family when it reads `pages` pages in one go."""
    if family is Family.DEEPSEEK_OCR_2:
        return GuardPolicy(run=30, window=90)
    return GuardPolicy(run=35, window=128 if pages == 1 else 1024)


class RepetitionGuard:
    """Follows one text and knows, after each token, what may not come next."""

    def __init__(self, policy: GuardPolicy, before: Iterable[int] = ()) -> None:
        self._policy = policy
        self._tokens: list[int] = []
        self._seen: dict[tuple[int, ...], Counter[int]] = {}
        for token in before:
            self.add(token)

    def add(self, token: int) -> None:
        """Note that `token` was written."""
        run, window = self._policy.run, self._policy.window
        self._tokens.append(token)
        if len(self._tokens) >= run:
            *start, last = self._tokens[-run:]
            self._seen.setdefault(tuple(start), Counter())[last] += 1
        if len(self._tokens) > window:
            *start, last = self._tokens[:run]
            self._forget(tuple(start), last)
            del self._tokens[0]

    def banned(self) -> frozenset[int]:
        """Return the tokens that would complete a run which stands in the window already."""
        start = tuple(self._tokens[1 - self._policy.run :])
        return frozenset(self._seen.get(start, ())) - self._policy.allowed

    def _forget(self, start: tuple[int, ...], last: int) -> None:
        ends = self._seen[start]
        ends[last] -= 1
        if not ends[last]:
            del ends[last]
        if not ends:
            del self._seen[start]

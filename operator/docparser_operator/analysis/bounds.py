"""How far a share that was seen by chance can lie from the true one.

The bounds of a share are those of Hoeffding, Probability inequalities for sums of bounded random
variables, JASA 58 (1963), theorem 1 in its form with the relative entropy. Unlike the interval of
Wilson (1927), which is too narrow on one side where few events are seen (Cai, One-sided confidence
intervals in discrete distributions, J. Stat. Plan. Inference 131, 2005), they hold for any number
of samples.

The bound of a difference is put together from them as in Newcombe, Interval estimation for the
difference between independent proportions, Statistics in Medicine 17 (1998), method 10, and for
bounds of any kind in Zou and Donner, Statistics in Medicine 27 (2008).
"""

import math
from dataclasses import dataclass
from typing import Final

CERTAIN: Final = 1e-3
"""Largest probability that one look takes chance for a difference, where that ends a rollout."""
LIKELY: Final = 0.7
"""The same where it only makes a rollout wait. The bounds are wide, so that this is about even
odds: by simulation a revision that is no slower passes at 9 of 10 looks or more."""

_HALVINGS: Final = 40


@dataclass(frozen=True)
class Seen:
    """A share of some samples."""

    share: float
    samples: float

    def least(self, chance: float) -> float:
        """Return the least true share with which one as high is as probable as `chance`."""
        return self._border(0.0, chance)

    def most(self, chance: float) -> float:
        """Return the largest true share with which one as low is as probable as `chance`."""
        return self._border(1.0, chance)

    def exceeds(self, other: "Seen", increase: float, chance: float) -> bool:
        """Return whether the true share lies above that of `other` by more than `increase`.

        Wrong with about the probability `chance` at most.
        """
        difference = self.share - other.share
        if difference <= increase:
            return False
        below = self.share - self.least(chance)
        above = other.most(chance) - other.share
        return difference - math.hypot(below, above) > increase

    def _border(self, outer: float, chance: float) -> float:
        """Return the share nearest to `outer` with which this one is as probable as `chance`."""
        most = -math.log(chance)
        inner = self.share
        if self.samples * _entropy(self.share, outer) <= most:
            return outer
        for _ in range(_HALVINGS):
            middle = (inner + outer) / 2
            is_outside = self.samples * _entropy(self.share, middle) > most
            inner, outer = (inner, middle) if is_outside else (middle, outer)
        return outer


def _entropy(share: float, true: float) -> float:
    """Return the relative entropy of a share with respect to the true one."""
    return _term(share, true) + _term(1 - share, 1 - true)


def _term(share: float, true: float) -> float:
    if share <= 0:
        return 0.0
    return share * math.log(share / true) if true > 0 else math.inf

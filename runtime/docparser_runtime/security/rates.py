"""Rate limits as token buckets, in whole nanoseconds, so that what Retry-After says is exact.

A bucket holds the requests of one minute. What it lacks is kept as the moment at which it will be
full again: one number for each bucket, which holds whatever the rate becomes.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Final

NANOSECONDS: Final = 1_000_000_000
_MINUTE: Final = 60 * NANOSECONDS


@dataclass(frozen=True)
class Rate:
    """So many per minute, all at once at most."""

    per_minute: int

    @property
    def interval_ns(self) -> int:
        """Time in which one becomes free; rounded up, so that there are never too many."""
        return -(-_MINUTE // self.per_minute)

    def wait_ns(self, full_at_ns: int, now_ns: int) -> int:
        """Return the time until one more is free in the bucket that is full at `full_at_ns`."""
        lacking = max(full_at_ns - now_ns, 0) + self.interval_ns
        return max(lacking - self.per_minute * self.interval_ns, 0)

    def full_at_ns(self, full_at_ns: int, now_ns: int, amount: int) -> int:
        """Return when the bucket is full after `amount` have been taken.

        More than it holds is a debt, which has to be waited for.
        """
        return max(full_at_ns, now_ns) + amount * self.interval_ns


class Buckets:
    """One bucket for each key; of too many, those that were not used for longest are forgotten.

    Args:
        clock_ns: nanoseconds that never go back.
        most_keys: buckets that are kept.
    """

    def __init__(self, clock_ns: Callable[[], int], most_keys: int) -> None:
        self._clock_ns = clock_ns
        self._most_keys = most_keys
        self._full_at_ns: OrderedDict[Hashable, int] = OrderedDict()

    def __len__(self) -> int:
        return len(self._full_at_ns)

    def wait_seconds(self, key: Hashable, rate: Rate) -> int:
        """Return the seconds, rounded up, until one more is free; 0 if it is."""
        wait_ns = rate.wait_ns(self._full_at_ns.get(key, 0), self._clock_ns())
        return -(-wait_ns // NANOSECONDS)

    def take(self, key: Hashable, rate: Rate, amount: int = 1) -> None:
        """Take `amount` out of the bucket of `key`, whether they are in it or not."""
        full_at_ns = self._full_at_ns.get(key, 0)
        self._full_at_ns[key] = rate.full_at_ns(full_at_ns, self._clock_ns(), amount)
        self._full_at_ns.move_to_end(key)
        if len(self._full_at_ns) > self._most_keys:
            self._full_at_ns.popitem(last=False)

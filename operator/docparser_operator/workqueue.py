"""A queue of keys: each once, never worked on twice at the same time."""

import asyncio
from collections import OrderedDict
from collections.abc import Hashable
from typing import Final, Generic, TypeVar

K = TypeVar("K", bound=Hashable)


TURNS: Final = 4
"""One turn in so many is for the key that waits longest, however many are preferred."""


class WorkQueue(Generic[K]):
    """Keys that wait. A key that is added while it is worked on comes again afterwards."""

    def __init__(self) -> None:
        self._waiting: OrderedDict[K, None] = OrderedDict()
        self._preferred: OrderedDict[K, None] = OrderedDict()
        self._taken = 0
        self._working: set[K] = set()
        self._again: set[K] = set()
        self._again_soon: set[K] = set()
        self._timers: dict[K, asyncio.TimerHandle] = {}
        self._arrival = asyncio.Event()

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, key: K) -> None:
        """Let `key` be worked on as soon as possible."""
        self._cancel_timer(key)
        if key in self._working:
            self._again.add(key)
        else:
            self._waiting[key] = None
            self._arrival.set()

    def prefer(self, key: K) -> None:
        """Add `key`, and let it be worked on before those that were only added.

        Somebody waits for the first answer to a new spec, and a thousand that report how far they
        are can wait for a while; none of them for ever.
        """
        self.add(key)
        if key in self._waiting:
            self._preferred[key] = None
        else:
            self._again_soon.add(key)

    def add_after(self, key: K, seconds: float) -> None:
        """Let `key` be worked on after `seconds`, unless it is sooner anyway."""
        due = asyncio.get_running_loop().time() + seconds
        timer = self._timers.get(key)
        if key in self._waiting or key in self._again or (timer and timer.when() <= due):
            return
        self._cancel_timer(key)
        self._timers[key] = asyncio.get_running_loop().call_at(due, self.add, key)

    async def take(self) -> K:
        """Wait for a key and return it; `done` must follow."""
        while not self._waiting:
            self._arrival.clear()
            await self._arrival.wait()
        self._taken += 1
        line = self._preferred if self._taken % TURNS else self._waiting
        key = next(iter(line or self._waiting))
        del self._waiting[key]
        self._preferred.pop(key, None)
        self._working.add(key)
        return key

    def done(self, key: K) -> None:
        """Say that the work on `key` has ended."""
        self._working.discard(key)
        if key in self._again:
            self._again.discard(key)
            add = self.prefer if key in self._again_soon else self.add
            self._again_soon.discard(key)
            add(key)

    def clear(self) -> None:
        """Drop all keys that wait, and all timers."""
        self._waiting.clear()
        self._preferred.clear()
        self._again.clear()
        self._again_soon.clear()
        for key in list(self._timers):
            self._cancel_timer(key)

    def _cancel_timer(self, key: K) -> None:
        if timer := self._timers.pop(key, None):
            timer.cancel()

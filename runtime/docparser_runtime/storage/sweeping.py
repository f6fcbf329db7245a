"""Removes objects of jobs that nobody knows."""

import time
from collections.abc import Awaitable, Callable, Collection
from typing import Final

from docparser_runtime.storage.base import ObjectStore

GRACE_SECONDS: Final = 3600.0
"""An upload is written before its job is queued: so long it may be without one."""
_BATCH: Final = 500

Known = Callable[[Collection[str]], Awaitable[Collection[str]]]
"""Returns those of some ids that the queue still knows."""


class Sweeper:
    """Deletes what belongs to no job.

    It goes by how long it has itself seen objects without a job, not by their times: so neither a
    clock that jumps nor one that differs from the store's can delete what was just uploaded.
    """

    def __init__(
        self,
        store: ObjectStore,
        known: Known,
        grace_seconds: float = GRACE_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store = store
        self._known = known
        self._grace_seconds = grace_seconds
        self._clock = clock
        self._orphans: dict[str, float] = {}

    async def sweep(self) -> int:
        """Delete the objects of ids that have had no job for the whole grace time; return how many.

        To be called now and then. Raises what the store and the queue raise; the next call goes on.
        """
        found = [prefix async for prefix in self._store.prefixes()]
        orphans = await self._unknown(found)
        now = self._clock()
        self._orphans = {one: self._orphans.get(one, now) for one in orphans}
        due = [one for one, since in self._orphans.items() if now - since >= self._grace_seconds]
        for one in due:
            await self._store.delete_prefix(f"{one}/")
            del self._orphans[one]
        return len(due)

    async def _unknown(self, found: list[str]) -> list[str]:
        """Return those without a job. Asked after the store, the queue knows the newest jobs."""
        unknown: list[str] = []
        for start in range(0, len(found), _BATCH):
            batch = found[start : start + _BATCH]
            known = set(await self._known(batch))
            unknown += [one for one in batch if one not in known]
        return unknown

"""Tells those who wait for jobs that something happened to them: one loop for all of them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from docparser_runtime.errors import DocParserError
from docparser_runtime.logs import Log
from docparser_runtime.queue.base import Submitting
from docparser_runtime.tasks.persistence import persistently
from docparser_runtime.waiting import happens_within

_NEWS_SECONDS: Final = 0.25
"""Longest wait for news that do not come by themselves."""
_LOOK_SECONDS: Final = 0.02
"""Shortest time from one look to the next: where much happens, news go together."""
_PAUSE_SECONDS: Final = 1.0
_UNKNOWN: Final = -2
"""A version that no job has: the first look counts as news."""


class News:
    """Whether something has happened to a job since it was last asked for."""

    def __init__(self) -> None:
        self.event = asyncio.Event()

    async def wait(self, timeout_seconds: float) -> bool:
        """Return whether something has happened, as soon as it has, or after this time."""
        if not await happens_within(self.event, timeout_seconds):
            return False
        self.event.clear()
        return True


class JobWatch:
    """Watches the jobs that somebody waits for."""

    def __init__(self, queue: Submitting, log: Log) -> None:
        self._queue = queue
        self._log = log
        self._versions: dict[str, int] = {}
        self._waiting: dict[str, set[News]] = {}
        self._watching: asyncio.Task[None] | None = None

    @asynccontextmanager
    async def of(self, job_id: str) -> AsyncIterator[News]:
        """Return news of a job for the time of the context."""
        news = News()
        self._waiting.setdefault(job_id, set()).add(news)
        self._versions.setdefault(job_id, _UNKNOWN)
        if self._watching is None or self._watching.done():
            watching = persistently(self._watch, "watch", self._log)
            self._watching = asyncio.create_task(watching)
        try:
            yield news
        finally:
            self._waiting[job_id].discard(news)
            if not self._waiting[job_id]:
                del self._waiting[job_id], self._versions[job_id]

    async def close(self) -> None:
        """End the watching."""
        if self._watching is not None:
            self._watching.cancel()
            await asyncio.gather(self._watching, return_exceptions=True)

    async def _watch(self) -> None:
        """Look until nobody waits any more."""
        heard: int | None = None
        clock = asyncio.get_running_loop().time
        while self._waiting:
            next_look = clock() + _LOOK_SECONDS
            try:
                await self._look()
                heard = await self._queue.wait_for_change(_NEWS_SECONDS, heard)
                await asyncio.sleep(next_look - clock())
            except DocParserError:
                # Those who wait ask the queue themselves in time, and are told.
                await asyncio.sleep(_PAUSE_SECONDS)

    async def _look(self) -> None:
        for job_id, version in (await self._queue.changes(dict(self._versions))).items():
            if job_id in self._versions:
                self._versions[job_id] = version
            for news in self._waiting.get(job_id, ()):
                news.event.set()

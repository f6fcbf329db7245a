"""Carries what happens to a document from its reading to whoever waits, in bounded memory."""

import asyncio
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from docparser_runtime.drafts import Delta, Drafts
from docparser_runtime.page_engine import Page
from docparser_runtime.reading import Opened
from docparser_runtime.waiting import happens_within

_MOST_EVENTS: Final = 4
"""Pages that wait for a client which reads slowly; then the reading of its document waits."""
_BETWEEN_DELTAS_SECONDS: Final = 0.05
"""Text that comes faster is told together: nobody reads faster, and each piece has its price."""


@dataclass(frozen=True)
class End:
    """Nothing more comes, because of `error` if there is one."""

    error: Exception | None = None


class Channel:
    """For one document, whose reader puts and whose client takes.

    Attributes:
        drafts: text of pages that are being written.
    """

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._events: deque[Opened | Page | End] = deque()
        self._has_room = asyncio.Event()
        self._has_event = asyncio.Event()
        self._has_news = asyncio.Event()
        self._next_delta_at = 0.0
        self.drafts = Drafts(self._wake)

    async def put(self, event: Opened | Page | End) -> None:
        """Pass on an event, as soon as there is room for it."""
        while len(self._events) >= _MOST_EVENTS:
            self._has_room.clear()
            await self._has_room.wait()
        self._events.append(event)
        self._has_event.set()
        self._has_news.set()

    async def take(self) -> Opened | Page | End | Delta:
        """Return the next event, or, while there is none, text of the pages at hand."""
        while not self._events:
            self._has_event.clear()
            self._has_news.clear()
            if self.drafts.is_empty():
                await self._has_news.wait()
            elif await self._is_time_for_text():
                delta = self.drafts.taken()
                if delta is not None:
                    return delta
        event = self._events.popleft()
        self._has_room.set()
        if isinstance(event, Page):
            self.drafts.forget(event.index)
        return event

    async def _is_time_for_text(self) -> bool:
        """Return whether text may be told, as soon as it may; False for an event before that."""
        pause = self._next_delta_at - self._loop.time()
        if pause > 0 and await happens_within(self._has_event, pause):
            return False
        self._next_delta_at = self._loop.time() + _BETWEEN_DELTAS_SECONDS
        return True

    def _wake(self) -> None:
        # An engine's thread may outlive the loop.
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._has_news.set)

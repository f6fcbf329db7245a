"""Saves pages as they are read: those that come while others are being written go together."""

import asyncio
from collections.abc import Sequence
from typing import Final

from pydantic import TypeAdapter

from docparser_runtime.queue.base import Working
from docparser_runtime.queue.values import Claim
from docparser_runtime.schemas import PageBody
from docparser_runtime.storage.base import ObjectStore
from docparser_runtime.tasks.ids import new_id
from docparser_runtime.tracing import spans
from docparser_runtime.waiting import happens_within

_PAGES: Final = TypeAdapter(tuple[PageBody, ...])
_GATHERING_SECONDS: Final = 0.02
"""Wait for more pages before some are written. Pages that come faster than this cost more to write
one by one than to read; for others it is nothing."""
_MOST_WAITING: Final = 32
"""Pages that wait to be saved; then the reading waits, too."""


class PageSaver:
    """Saves the pages of one claim."""

    def __init__(self, claim: Claim, queue: Working, store: ObjectStore) -> None:
        self._claim = claim
        self._queue = queue
        self._store = store
        self._waiting: list[PageBody] = []
        self._saving: asyncio.Task[None] | None = None
        self._hurried = asyncio.Event()

    async def add(self, page: PageBody) -> None:
        """Save a page soon; raises what saving earlier ones raised."""
        self._waiting.append(page)
        if self._saving is None or self._saving.done():
            await self.flush()
            self._saving = asyncio.create_task(self._save_waiting())
        elif len(self._waiting) >= _MOST_WAITING:
            await self.flush()

    async def flush(self) -> None:
        """Return once all pages are safe.

        Raises:
            LostClaim: somebody else has the job; its pages are theirs.
            DocParserError: queue or store cannot take them.
        """
        if self._saving is not None:
            self._hurried.set()
            try:
                await asyncio.shield(self._saving)
            except asyncio.CancelledError:
                # What has been read is saved before the job is given back.
                await asyncio.gather(self._saving, return_exceptions=True)
                raise
            self._hurried.clear()

    async def _save_waiting(self) -> None:
        while self._waiting:
            await happens_within(self._hurried, _GATHERING_SECONDS)
            batch, self._waiting = self._waiting, []
            await self._save(batch)

    async def _save(self, pages: Sequence[PageBody]) -> None:
        job = self._claim.job.id
        with spans.step("save pages", **{"docparser.pages": len(pages)}):
            stored = await self._store.put(f"{job}/pages/{new_id()}", content_of(pages))
            saved = [(page.index, stored.name, stored.sha256) for page in pages]
            await self._queue.save_pages(self._claim, saved)


def pages_of(content: bytes) -> Sequence[PageBody]:
    """Return the pages of an object that `PageSaver` wrote."""
    return _PAGES.validate_json(content)


def content_of(pages: Sequence[PageBody]) -> bytes:
    """Return what `pages_of` reads."""
    return _PAGES.dump_json(tuple(pages))

"""Text of pages that are being written, on its way from a worker to the gateway that follows a job.

It lies in the store, one object for a job, which is replaced a few times a second and goes with the
job. What is lost of it costs a moment: the next object has all of it, and pages are told by
themselves.
"""

import asyncio
import threading
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Final, Protocol

from pydantic import TypeAdapter

from docparser_runtime.drafts import Audience, Delta, Nobody
from docparser_runtime.errors import DocParserError
from docparser_runtime.storage.base import ObjectMissing, ObjectStore

_TEXTS: Final = TypeAdapter(dict[int, str])
_PAUSE_SECONDS: Final = 0.5


class Drafting(Audience, Protocol):
    """A worker's side."""

    def forget(self, index: int) -> None:
        """Take away the text of a page that has been read."""
        ...


class _Unkept(Nobody):
    def forget(self, index: int) -> None:
        """Do nothing."""


@asynccontextmanager
async def kept(store: ObjectStore, job_id: str, *, is_wanted: bool) -> AsyncGenerator[Drafting]:
    """Yield who keeps text of a job's pages in the store while they are written, if `is_wanted`."""
    if not is_wanted:
        yield _Unkept()
        return
    drafts = _Kept(store, job_id)
    keeping = asyncio.create_task(drafts.keep())
    try:
        yield drafts
    finally:
        keeping.cancel()
        await asyncio.gather(keeping, return_exceptions=True)


class _Kept:
    def __init__(self, store: ObjectStore, job_id: str) -> None:
        self._store = store
        self._name = _name(job_id)
        self._lock = threading.Lock()
        self._pieces: dict[int, list[str]] = {}
        self._has_changed = False

    def wrote(self, index: int, text: str) -> None:
        with self._lock:
            self._pieces.setdefault(index, []).append(text)
            self._has_changed = True

    def began_anew(self, index: int) -> None:
        with self._lock:
            self._pieces[index] = []
            self._has_changed = True

    def forget(self, index: int) -> None:
        with self._lock:
            self._pieces.pop(index, None)

    async def keep(self) -> None:
        while True:
            await asyncio.sleep(_PAUSE_SECONDS)
            if self._has_changed:
                # A store that does not answer is met by the pages, which must not be lost.
                with suppress(DocParserError):
                    await self._store.put(self._name, self._content())

    def _content(self) -> bytes:
        with self._lock:
            self._has_changed = False
            return _TEXTS.dump_json({index: "".join(p) for index, p in self._pieces.items()})


class Follower:
    """A gateway's side: what is new of the text of a job's pages.

    Attributes:
        pause_seconds: how long to wait from one look to the next.
    """

    pause_seconds = _PAUSE_SECONDS

    def __init__(self, store: ObjectStore, job_id: str) -> None:
        self._store = store
        self._name = _name(job_id)
        self._news = News()

    async def deltas(self) -> Sequence[Delta]:
        """Return what has been written since the last look."""
        try:
            content = await self._store.get(self._name)
        except (DocParserError, ObjectMissing):
            return ()  # the next look will tell
        return self._news.of(_TEXTS.validate_json(content))

    def read(self, index: int) -> None:
        """Note that a page has been read: its text is told no more."""
        self._news.end(index)


class News:
    """Pure: compares what pages say with what was told of them."""

    def __init__(self) -> None:
        self._told: dict[int, str] = {}
        self._ended: set[int] = set()

    def of(self, texts: dict[int, str]) -> Sequence[Delta]:
        """Return what of `texts` is new; a page whose text does not go on begins anew."""
        found = []
        for index, text in texts.items():
            told = self._told.get(index, "")
            if index in self._ended or text == told:
                continue
            goes_on = text.startswith(told)
            found.append(Delta(index, text[len(told) :] if goes_on else text, not goes_on))
            self._told[index] = text
        return found

    def end(self, index: int) -> None:
        """Tell no more of a page."""
        self._told.pop(index, None)
        self._ended.add(index)


def _name(job_id: str) -> str:
    return f"{job_id}/drafts/latest"

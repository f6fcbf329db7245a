"""Pictures of the pages of tasks, for people who look at a page beside its text."""

import asyncio
import io
from typing import Final

from PIL import Image

from docparser_runtime.documents.base import DocumentReader
from docparser_runtime.engine.base import PageImage
from docparser_runtime.errors import QueueFull
from docparser_runtime.queue.values import Job
from docparser_runtime.storage.base import ObjectDamaged, ObjectMissing, ObjectStore
from docparser_runtime.task_errors import PageNotFound
from docparser_runtime.tasks import payload as payloads
from docparser_runtime.tasks.payload import StoredDocument, UnknownPayload

MEDIA_TYPE: Final = "image/jpeg"
LONGEST_SIDE: Final = 2000
"""Most pixels of a side: more than a screen shows of a page."""
_QUALITY: Final = 82
_MOST_AT_ONCE: Final = 2
_MOST_WAITING: Final = 32
_RETRY_SECONDS: Final = "2"


class PagePictures:
    """Draws pages of documents as they were sent, a few at a time."""

    def __init__(self, store: ObjectStore, reader: DocumentReader) -> None:
        self._store = store
        self._reader = reader
        self._places = asyncio.Semaphore(_MOST_AT_ONCE)
        self._waiting = 0

    async def jpeg(self, job: Job, index: int) -> bytes:
        """Return page `index`, from 0, of the job's document as a JPEG file.

        Raises:
            PageNotFound: there is no such page, or its document is gone.
            QueueFull: too many pictures are being drawn.
            DocParserError: the document cannot be opened or drawn.
        """
        if self._waiting >= _MOST_WAITING:
            raise QueueFull(
                "Too many pictures are being drawn; try again later.",
                headers={"Retry-After": _RETRY_SECONDS},
            )
        self._waiting += 1
        try:
            async with self._places:
                image = await self._page(job, index)
                return await asyncio.to_thread(_jpeg, image)
        finally:
            self._waiting -= 1

    async def _page(self, job: Job, index: int) -> PageImage:
        documents = _documents(job)
        if 1 < len(documents) == job.pages and index < job.pages:
            documents, index = (documents[index],), 0  # one picture was sent for each page
        for stored in documents:
            async with self._reader.open(await self._content(stored)) as document:
                if index < document.info.page_count:
                    return await document.page(index)
                index -= document.info.page_count
        raise PageNotFound("The document has no such page.")

    async def _content(self, stored: StoredDocument) -> bytes:
        try:
            return await self._store.get(stored.ref, stored.sha256)
        except (ObjectMissing, ObjectDamaged):
            raise PageNotFound("The document of this task is gone.") from None


def _documents(job: Job) -> tuple[StoredDocument, ...]:
    try:
        return payloads.loaded(job.payload).documents
    except UnknownPayload:
        raise PageNotFound("This task was made for a newer release, which can draw it.") from None


def _jpeg(page: PageImage) -> bytes:
    image = Image.fromarray(page.pixels)
    image.thumbnail((LONGEST_SIDE, LONGEST_SIDE), Image.Resampling.BILINEAR, reducing_gap=2)
    buffer = io.BytesIO()
    image.save(buffer, "JPEG", quality=_QUALITY)
    return buffer.getvalue()

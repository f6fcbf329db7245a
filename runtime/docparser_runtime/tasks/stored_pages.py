"""Pages of a job as they lie in the store."""

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from itertools import groupby

from docparser_runtime import writing
from docparser_runtime.outputs.furniture import FurnitureFinder
from docparser_runtime.outputs.pages import page_of_body
from docparser_runtime.queue.values import SavedPage
from docparser_runtime.schemas import Options, PageBody
from docparser_runtime.storage.base import ObjectStore
from docparser_runtime.tasks.saver import pages_of
from docparser_runtime.writing import Furniture


class StoredPages:
    """Reads pages, one object of the store after the other: a document may have thousands."""

    def __init__(self, store: ObjectStore, saved: Sequence[SavedPage]) -> None:
        self._store = store
        self._ordered = sorted(saved, key=lambda page: page.index)

    async def bodies(self) -> AsyncIterator[PageBody]:
        """Yield the pages in the order of the document."""
        objects = groupby(self._ordered, lambda page: (page.ref, page.sha256))
        for (ref, sha256), group in objects:
            together = {body.index: body for body in pages_of(await self._store.get(ref, sha256))}
            for page in group:
                yield together[page.index]

    async def furniture(self) -> Furniture:
        """Return what of the pages is furniture."""
        finder = FurnitureFinder()
        async for body in self.bodies():
            finder.add(page_of_body(body))
        return finder.found()

    async def text(self, form: str, options: Options) -> AsyncGenerator[bytes, None]:
        """Yield the text of the document in a form of `writing`, in pieces."""
        writer = writing.writer(form, options, await self.furniture())
        async for body in self.bodies():
            yield writer.feed(page_of_body(body)).encode()
        yield writer.finish().encode()

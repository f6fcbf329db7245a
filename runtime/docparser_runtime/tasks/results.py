"""Builds the result of a job from its pages, with the memory of a few pages, and gives it out."""

import asyncio
import json
import tempfile
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import IO, Any, Final

from docparser_runtime.queue.values import Job, SavedPage
from docparser_runtime.schemas import PageBody
from docparser_runtime.storage.base import ObjectStore
from docparser_runtime.summaries import Sums
from docparser_runtime.tasks.saver import pages_of

JSON: Final = "json"
MARKDOWN: Final = "markdown"
_BETWEEN_PAGES: Final = "\n\n"


class ResultWriter:
    """Writes the result's forms as objects of the store."""

    def __init__(self, store: ObjectStore) -> None:
        self._store = store

    async def write(
        self, job: Job, saved: Sequence[SavedPage], sums: Sums, model: str
    ) -> dict[str, Any]:
        """Return what the queue keeps of the result: each form's object, and what sums it up.

        `sums` hold what a worker knows beside the pages.
        """
        with _working_files() as files:
            async for body in self._pages(saved):
                sums.add(body)
                await asyncio.to_thread(files.add, body)
            summary = sums.body(job.id, model).model_dump(mode="json")
            await asyncio.to_thread(files.complete, summary)
            forms = {
                JSON: await self._store.put_file(f"{job.id}/result.json", files.json_path),
                MARKDOWN: await self._store.put_file(f"{job.id}/result.md", files.content_path),
            }
        kept = {name: [stored.name, stored.sha256] for name, stored in forms.items()}
        return {"version": 1, "forms": kept, "summary": summary}

    async def _pages(self, saved: Sequence[SavedPage]) -> AsyncIterator[PageBody]:
        """Yield the pages in the order of the document."""
        ordered = sorted(saved, key=lambda page: page.index)
        for (ref, sha256), group in groupby(ordered, lambda page: (page.ref, page.sha256)):
            together = {body.index: body for body in pages_of(await self._store.get(ref, sha256))}
            for page in group:
                yield together[page.index]


def form_of(result: Mapping[str, Any], form: str) -> tuple[str, str]:
    """Return name and digest of the object that holds the result in this form."""
    name, sha256 = result["forms"][form]
    return name, sha256


@dataclass(frozen=True)
class _Files:
    """Files in which the forms grow, page by page."""

    content: IO[str]
    pages: IO[str]
    content_path: Path
    json_path: Path

    def add(self, page: PageBody) -> None:
        """Append a page to both."""
        if page.markdown:
            self.content.write(_BETWEEN_PAGES if self.content.tell() else "")
            self.content.write(page.markdown)
        self.pages.write("," if self.pages.tell() else "")
        self.pages.write(page.model_dump_json())

    def complete(self, summary: Mapping[str, Any]) -> None:
        """Write the JSON form: the members of the summary, with content and pages among them."""
        self.content.flush()
        self.pages.seek(0)
        with (
            self.json_path.open("w", encoding="utf-8") as whole,
            self.content_path.open(encoding="utf-8", newline="") as content,
        ):
            whole.write(json.dumps(summary)[:-1] + ', "content": "')
            for piece in iter(lambda: content.read(1 << 16), ""):
                whole.write(json.dumps(piece, ensure_ascii=False)[1:-1])
            whole.write('", "pages": [')
            for piece in iter(lambda: self.pages.read(1 << 16), ""):
                whole.write(piece)
            whole.write("]}")


@contextmanager
def _working_files() -> Iterator[_Files]:
    with tempfile.TemporaryDirectory(prefix="docparser-result-") as directory:
        place = Path(directory)
        content_path = place / "content"
        with (
            content_path.open("w", encoding="utf-8", newline="") as content,
            (place / "pages").open("w+", encoding="utf-8", newline="") as pages,
        ):
            yield _Files(content, pages, content_path, place / "whole")

"""Builds the result of a job from its pages, with the memory of a few pages, and gives it out."""

import asyncio
import json
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final

from docparser_runtime import writing
from docparser_runtime.outputs.pages import page_of_body
from docparser_runtime.queue.values import Job
from docparser_runtime.schemas import Options, PageBody
from docparser_runtime.storage.base import ObjectStore
from docparser_runtime.storage.failures import Failures
from docparser_runtime.summaries import Sums
from docparser_runtime.tasks.ids import new_id
from docparser_runtime.tasks.stored_pages import StoredPages

JSON: Final = "application/json"


@dataclass(frozen=True)
class About:
    """What a worker knows of a document beside its pages.

    Attributes:
        sums: without the pages' share.
    """

    options: Options
    sums: Sums
    model: str


class ResultWriter:
    """Writes the result's forms as objects of the store; until then they lie in working files."""

    def __init__(self, store: ObjectStore, failures: Failures) -> None:
        self._store = store
        self._failures = failures

    async def write(self, job: Job, pages: StoredPages, about: About) -> dict[str, Any]:
        """Return what the queue keeps of the result: each form's object, and what sums it up.

        The objects have names of their own: a worker that was paused, and comes to this after
        another one has ended the job, must not write over what that one's clients fetch.

        Raises:
            StorageFull, StorageUnavailable: store or working files have no room or do not work.
            ObjectMissing, ObjectDamaged: a page is not what was saved.
        """
        stem = f"{job.id}/results/{new_id()}"
        writer = writing.writer(writing.MARKDOWN, about.options, await pages.furniture())
        with self._failures.of_system(), _working_files() as files:
            async for body in pages.bodies():
                about.sums.add(body)
                files.add(body, writer.feed(page_of_body(body)))
            files.content.write(writer.finish())
            summary = about.sums.body(job.id, about.model).model_dump(mode="json")
            await asyncio.to_thread(files.complete, summary)
            forms = {
                JSON: await self._store.put_file(f"{stem}.json", files.json_path),
                writing.MARKDOWN: await self._store.put_file(f"{stem}.md", files.content_path),
            }
        kept = {name: [stored.name, stored.sha256] for name, stored in forms.items()}
        return {"version": 1, "forms": kept, "summary": summary}


def form_of(result: Mapping[str, Any], media_type: str) -> tuple[str, str] | None:
    """Return name and digest of the object that holds the result in this form, if one does."""
    found = result["forms"].get(media_type)
    return None if found is None else (found[0], found[1])


@dataclass(frozen=True)
class _Files:
    """Files in which the forms grow, page by page."""

    content: IO[str]
    pages: IO[str]
    content_path: Path
    json_path: Path

    def add(self, page: PageBody, text: str) -> None:
        """Append a page, and what can be written of the document's text once it is known."""
        self.content.write(text)
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

"""Asks a service about tasks, as a client does."""

import io
import json
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Any

import httpx
import pypdfium2  # type: ignore[import-untyped]
from docparser_api.names import PATH_PARSE, PATH_TASKS


def blank_pdf(pages: int) -> bytes:
    """Return a document of small white pages."""
    document = pypdfium2.PdfDocument.new()
    for _ in range(pages):
        document.new_page(100, 100)
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


@dataclass
class Event:
    """One server-sent event."""

    name: str
    data: Any
    id: str | None = None


@dataclass
class TaskClient:
    """A client of one process."""

    http: httpx.AsyncClient

    async def submit(
        self, content: bytes, key: str | None = None, **options: str
    ) -> dict[str, Any]:
        headers = {"Idempotency-Key": key} if key else {}
        files = {"file": ("a.pdf", content)}
        answer = await self.http.post(PATH_TASKS, files=files, data=options, headers=headers)
        assert answer.status_code == 202, answer.text
        return dict(answer.json())

    async def task(self, task_id: str, wait: float = 0) -> dict[str, Any]:
        answer = await self.http.get(f"{PATH_TASKS}/{task_id}", params={"wait": wait})
        assert answer.status_code == 200, answer.text
        return dict(answer.json())

    async def result(self, task_id: str, accept: str = "application/json") -> httpx.Response:
        return await self.http.get(f"{PATH_TASKS}/{task_id}/result", headers={"Accept": accept})

    async def cancel(self, task_id: str) -> httpx.Response:
        return await self.http.delete(f"{PATH_TASKS}/{task_id}")

    async def parse(self, content: bytes) -> httpx.Response:
        return await self.http.post(PATH_PARSE, files={"file": ("a.pdf", content)})

    async def events(self, task_id: str, after: int = 0) -> AsyncGenerator[Event, None]:
        """Yield the events of a task until its stream ends."""
        headers = {"Last-Event-ID": str(after)}
        path = f"{PATH_TASKS}/{task_id}/events"
        async with self.http.stream("GET", path, headers=headers) as answer:
            assert answer.status_code == 200, await answer.aread()
            async for event in read_events(answer):
                yield event

    async def stream(self, content: bytes) -> AsyncGenerator[Event, None]:
        """Yield the events of a document that is read while we wait."""
        files = {"file": ("a.pdf", content)}
        request = self.http.stream("POST", PATH_PARSE, files=files, params={"stream": "true"})
        async with request as answer:
            assert answer.status_code == 200, await answer.aread()
            async for event in read_events(answer):
                yield event


async def read_events(answer: httpx.Response) -> AsyncGenerator[Event, None]:
    """Yield the events of an answer, comments left out."""
    fields: dict[str, str] = {}
    async for line in answer.aiter_lines():
        name, _, value = line.partition(":")
        if line and name:
            fields[name] = fields.get(name, "") + value.removeprefix(" ")
        elif not line and "event" in fields:
            yield Event(fields["event"], json.loads(fields["data"]), fields.get("id"))
            fields = {}

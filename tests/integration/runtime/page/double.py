"""A service that speaks the contract of tasks, as far as the page needs it, and does as it is told.

Pages come from a list, not from the document; connections break, and tasks wait, when a test says
so.
"""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

_ENDED = ("done", "failed", "cancelled")
_EPOCH = datetime(2026, 11, 30, 12, tzinfo=UTC)


def block(kind: str, text: str, markdown: str, box: tuple[int, int, int, int]) -> dict[str, Any]:
    level = len(markdown) - len(markdown.lstrip("#")) or None
    names = ("kind", "text", "markdown", "box", "confidence", "level")
    return dict(zip(names, (kind, text, markdown, box, 0.98, level), strict=True))


def a_page(index: int, *blocks: dict[str, Any]) -> dict[str, Any]:
    """Return a page of the answer of `parse`; without `blocks` it has a title and a sentence."""
    number = index + 1
    shown = blocks or (
        block("title", f"Chapter {number}", f"# Chapter {number}", (80, 60, 520, 110)),
        block(
            "paragraph", f"Text of page {number}.", f"Text of page {number}.", (80, 140, 520, 400)
        ),
    )
    return {
        "index": index,
        "width": 600,
        "height": 848,
        "markdown": "\n\n".join(one["markdown"] for one in shown),
        "text": "\n\n".join(one["text"] for one in shown),
        "blocks": list(shown),
        "vision_tokens": 0,
        "truncated": False,
        "repetition": False,
        "seconds": 0.01,
    }


SUMMARY = {
    "request_id": "r",
    "model": "double",
    "vision_tokens": 0,
    "repaired": False,
    "truncated": False,
    "repetition": False,
    "timings": {"queue": 0.0, "parse": 1.25},
}


@dataclass
class Task:
    """A task. `available` is how many of its pages may be sent by now."""

    id: str
    pages: list[dict[str, Any]]
    status: str = "running"
    available: int = 0
    number: int = 0
    error: dict[str, str] | None = None

    def body(self) -> dict[str, Any]:
        created = (_EPOCH + timedelta(minutes=self.number)).isoformat()
        return {
            "id": self.id,
            "status": self.status,
            "pages": len(self.pages),
            "pages_done": self.available,
            "queue_position": 2 if self.status == "queued" else None,
            "priority": "normal",
            "created_at": created,
            "started_at": created,
            "finished_at": created if self.status in _ENDED else None,
            "expires_at": None,
            "error": self.error,
        }


@dataclass
class Double:
    """The service. Tests change its fields while it runs."""

    pages: list[dict[str, Any]] = field(default_factory=lambda: [a_page(i) for i in range(3)])
    keeps_tasks: bool = True
    token: str | None = None
    password: str | None = None
    first_status: str = "running"
    at_once: bool = True
    """Whether tasks are done as soon as somebody follows them."""
    break_after: int | None = None
    """Pages after which the next stream of events breaks, once."""
    tasks: dict[str, Task] = field(default_factory=dict)
    uploads: list[bytes] = field(default_factory=list)
    fields: list[dict[str, str]] = field(default_factory=list)
    """What came with each upload."""
    tiers: tuple[str, ...] = ()
    last_ids: list[str | None] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    left: int = 0
    url: str = ""

    def accept(self) -> Task:
        number = len(self.tasks)
        task = Task(f"task{number}", self.pages, self.first_status, number=number)
        self.tasks[task.id] = task
        return task

    async def events(self, task: Task, since: int, *, named: bool = True) -> AsyncIterator[bytes]:
        shown: dict[str, Any] | None = None
        while True:
            if self.at_once and task.status in ("queued", "running"):
                task.status, task.available = "done", len(task.pages)
            for number in range(since, task.available):
                if self.break_after is not None and number >= self.break_after:
                    self.break_after = None
                    raise ConnectionResetError
                yield _event("page", task.pages[number], number + 1)
            since = max(since, task.available)
            body = task.body() if named else task.body() | {"id": None}
            if body != shown:
                shown = body
                yield _event("status", body)
            if task.status in _ENDED:
                yield _last(task)
                return
            await asyncio.sleep(0.01)


def _last(task: Task) -> bytes:
    if task.status == "done":
        return _event("done", SUMMARY)
    code, detail = "task_cancelled", "The task was cancelled."
    return _event("error", task.error or {"code": code, "detail": detail, "status": 409})


def _event(name: str, data: dict[str, Any], number: int | None = None) -> bytes:
    mark = "" if number is None else f"id: {number}\n"
    return f"event: {name}\n{mark}data: {json.dumps(data)}\n\n".encode()

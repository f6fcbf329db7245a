"""Callbacks of tests: one that is due, and an outbox in memory."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from docparser_runtime.callbacks.base import Due
from docparser_runtime.queue.values import State

DUE = Due(
    job_id="019b7a2f3c4d5e6f708192a3b4c5d6e7",
    url="https://receiver.test/docparser?token=canary",
    state=State.DONE,
    failure_code=None,
    finished_at=datetime(2026, 1, 1, 11, 59, 59, tzinfo=UTC),
    attempts=1,
    elapsed_seconds=0.5,
)


@dataclass
class MemoryOutbox:
    """Gives out `waiting` at each turn, and keeps what it is told."""

    waiting: list[Due] = field(default_factory=list)
    told: list[tuple[str, float | None]] = field(default_factory=list)
    failures: list[Exception] = field(default_factory=list)

    async def add(self, job_id: str, url: str) -> None:
        self.waiting.append(replace(DUE, job_id=job_id, url=url, attempts=0))

    async def due(self, limit: int, lease_seconds: float) -> Sequence[Due]:
        if self.failures:
            raise self.failures.pop()
        assert lease_seconds > 10
        given = [replace(due, attempts=due.attempts + 1) for due in self.waiting[:limit]]
        self.waiting = self.waiting[limit:]
        return given

    async def delivered(self, due: Due) -> None:
        self.told.append((due.job_id, None))

    async def failed(self, due: Due, retry_seconds: float | None) -> None:
        self.told.append((due.job_id, -1 if retry_seconds is None else retry_seconds))


def a_due(**changes: Any) -> Due:
    return replace(DUE, **changes)

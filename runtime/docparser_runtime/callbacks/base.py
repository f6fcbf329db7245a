"""What callbacks need of the queue: an outbox that outlives the process."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from docparser_runtime.queue.values import State


@dataclass(frozen=True)
class Due:
    """A callback that is to be tried now.

    Attributes:
        state: how the task ended.
        failure_code: code of the error with which it did; None when there is none.
        finished_at: when it ended, by the database's clock.
        attempts: how often it has been tried, this time included.
        elapsed_seconds: time since the end of the task.
    """

    job_id: str
    url: str
    state: State
    failure_code: str | None
    finished_at: datetime
    attempts: int
    elapsed_seconds: float

    @property
    def delivery_id(self) -> str:
        """The same at each attempt, so that receivers can tell a repetition from a new end."""
        return f"{self.job_id}-{int(self.finished_at.timestamp() * 1000)}"


class Outbox(Protocol):
    """Callbacks that are to be sent once their jobs have ended.

    Every method raises `QueueUnavailable` when the database does not answer.
    """

    async def add(self, job_id: str, url: str) -> None:
        """Note where the end of this job is to be told; done again, it changes nothing.

        To be called for a job that is queued already, before the client hears of it.
        """
        ...

    async def due(self, limit: int, lease_seconds: float) -> Sequence[Due]:
        """Return at most `limit` callbacks of ended jobs whose time has come, earliest first.

        Nobody else is given them before `lease_seconds` are over.
        """
        ...

    async def delivered(self, due: Due) -> None:
        """Note that the receiver has it. Does nothing when somebody else tries it by now."""
        ...

    async def failed(self, due: Due, retry_seconds: float | None) -> None:
        """Try again after that time; None: never. Does nothing as `delivered` does."""
        ...

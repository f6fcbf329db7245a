"""What both databases of the queue have in common."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol, TypeVar

import asyncpg  # type: ignore[import-untyped]  # it has no types
from sqlalchemy import Connection
from sqlalchemy.exc import (
    DataError,
    DBAPIError,
    IntegrityError,
    ProgrammingError,
)
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from docparser_runtime.queue.changes import Changes, Kind
from docparser_runtime.queue.grouping import Rule
from docparser_runtime.task_errors import QueueUnavailable

T = TypeVar("T")

_OWN_FAULTS = (DataError, IntegrityError, ProgrammingError)
"""What a wrong statement causes. That the database does not answer would be a lie."""
_OUTAGES = (
    DBAPIError,
    PoolTimeoutError,
    OSError,
    TimeoutError,
    asyncpg.PostgresError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
)


@contextmanager
def told_apart() -> Iterator[None]:
    """Turn what a database raises when it does not answer into `QueueUnavailable`."""
    try:
        yield
    except _OWN_FAULTS:
        raise
    except _OUTAGES as outage:
        raise QueueUnavailable(
            "the database of the queue does not answer; please try again",
            headers={"Retry-After": "5"},
        ) from outage


class Database(Protocol):
    """Where the queue lives. Both methods raise `QueueUnavailable`."""

    @property
    def changes(self) -> Changes:
        """What is heard of changes, also of those that other processes make."""
        ...

    async def read(self, rule: Rule[T]) -> T:
        """Return what a rule of one statement, which writes nothing, returns."""
        ...

    async def write(self, rule: Rule[T], *, shared: bool = False) -> T:
        """Return what a rule returns, once all that it wrote is safe on disk.

        Args:
            rule: applied in a transaction; what it raises is raised, and then nothing is written.
            shared: whether it waits for a lock that its like hold, so that those of this process
                had better share one transaction.
        """
        ...

    def tell(self, *kinds: Kind) -> None:
        """Let those who wait, here and in other processes, know of a change that is safe."""
        ...

    async def close(self) -> None:
        """Finish what was begun, and free what it took."""
        ...


Migrating = Callable[[Connection], Any]
"""Brings the tables up to date, in the transaction of the connection."""

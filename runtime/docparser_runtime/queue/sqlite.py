"""The queue in a file: SQLite with one thread that writes and a few that read.

Threads, not coroutines: a whole rule is one hop to another thread, where a driver that hops for
each statement takes three times as long.
"""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, Self, TypeVar

from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.exc import DatabaseError, OperationalError

from docparser_runtime.queue.changes import Changes, Kind
from docparser_runtime.queue.database import Migrating, told_apart
from docparser_runtime.queue.failures import QueueDamaged
from docparser_runtime.queue.grouping import Grouping, Outcome, Rule, outcomes
from docparser_runtime.task_errors import QueueUnavailable

T = TypeVar("T")

_READERS = 2
_BUSY_MILLISECONDS = 5000
"""How long a write waits for one of another process."""
_LOOK_SECONDS = 0.2
"""How soon a change that another process made is noticed."""
_PRAGMAS = (
    f"busy_timeout={_BUSY_MILLISECONDS}",
    "journal_mode=WAL",
    "synchronous=FULL",  # NORMAL may lose what was acknowledged when the power fails
    "foreign_keys=ON",
    # The kernel keeps what is read often. 2 MiB a connection, the default, fill for hours.
    "cache_size=-512",
)


def _engine(url: URL, threads: int, *, begin: str | None) -> Engine:
    """Return an engine of so many connections; without `begin` each statement stands alone."""
    engine = create_engine(url, hide_parameters=True, pool_size=threads, max_overflow=0)

    def prepare(connection: Any, _record: object) -> None:
        # The driver would begin transactions by itself, and not those that we need.
        connection.isolation_level = None
        for pragma in _PRAGMAS:
            connection.execute(f"PRAGMA {pragma}")

    event.listen(engine, "connect", prepare)
    if begin is not None:
        event.listen(engine, "begin", lambda connection: connection.exec_driver_sql(begin))
    return engine


class SqliteDatabase:
    """One file. All writes of this process go through one connection, in groups."""

    def __init__(self, url: URL) -> None:
        self.changes = Changes()
        # The lock is taken at the beginning: one that is taken later cannot be waited for.
        self._writing = _engine(url, 1, begin="BEGIN IMMEDIATE")
        self._reading = _engine(url, _READERS, begin=None)
        self._writer = ThreadPoolExecutor(1, "queue-writer")
        self._readers = ThreadPoolExecutor(_READERS, "queue-reader")
        self._grouping = Grouping(self._apply)
        self._watch: asyncio.Task[None] | None = None

    @classmethod
    async def open(cls, url: URL, migrating: Migrating) -> Self:
        """Open the file, which is made if need be, and bring its tables up to date.

        Raises:
            QueueDamaged: the file is damaged or no database.
            QueueUnavailable: the file cannot be opened or made.
        """
        database = cls(url)
        try:
            await database._on(database._writer, lambda: _prepare(database._writing, migrating))
        except BaseException:
            await database.close()
            raise
        database._watch = asyncio.create_task(database._watch_others())
        return database

    async def read(self, rule: Rule[T]) -> T:
        """Return what the rule returns."""

        def reading() -> T:
            with self._reading.connect() as connection:
                return rule(connection)

        with told_apart():
            return await self._on(self._readers, reading)

    async def write(self, rule: Rule[T], *, shared: bool = False) -> T:
        """Return what the rule returns. All rules share: there is one lock for all."""
        del shared
        return await self._grouping.write(rule)

    def tell(self, *kinds: Kind) -> None:
        """Wake those who wait in this process; others look at the file from time to time."""
        self.changes.tell(*kinds)

    async def close(self) -> None:
        """Finish what was begun, and close the file."""
        if self._watch is not None:
            self._watch.cancel()
            with suppress(asyncio.CancelledError):
                await self._watch
        await self._grouping.close()
        for engine, threads in ((self._writing, self._writer), (self._reading, self._readers)):
            await self._on(threads, engine.dispose)
            threads.shutdown()

    async def _apply(self, rules: Sequence[Rule[Any]]) -> list[Outcome]:
        def applying() -> list[Outcome]:
            with self._writing.begin() as connection:
                return outcomes(connection, rules)

        with told_apart():
            return await self._on(self._writer, applying)

    async def _watch_others(self) -> None:
        version = None
        while True:
            await asyncio.sleep(_LOOK_SECONDS)
            if self.changes.waiting:
                before = version
                # It counts the commits that other connections made, which are other processes'.
                version = await self._on(self._writer, self._data_version)
                if before != version:
                    self.changes.tell(*Kind)

    def _data_version(self) -> object:
        pool = self._writing.raw_connection()
        try:
            return pool.execute("PRAGMA data_version").fetchone()
        finally:
            pool.close()

    @staticmethod
    async def _on(threads: ThreadPoolExecutor, call: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(threads, call)


def _prepare(engine: Engine, migrating: Migrating) -> None:
    try:
        with engine.begin() as connection:
            _check(connection)
            migrating(connection)
    except OperationalError as failure:
        raise QueueUnavailable("the file of the queue cannot be opened for writing") from failure
    except DatabaseError as damage:
        raise QueueDamaged(
            "the file of the queue is damaged or is no SQLite database; move it away or restore it"
        ) from damage


def _check(connection: Connection) -> None:
    finding = connection.exec_driver_sql("PRAGMA quick_check(1)").scalar()
    if finding != "ok":
        raise QueueDamaged("the file of the queue is damaged; move it away or restore a copy of it")

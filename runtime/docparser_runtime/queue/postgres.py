"""The queue in PostgreSQL."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Self, TypeVar

import asyncpg  # type: ignore[import-untyped]  # it has no types
from sqlalchemy import URL
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from docparser_runtime.queue import freshness
from docparser_runtime.queue.changes import Changes, Kind
from docparser_runtime.queue.database import Migrating, told_apart
from docparser_runtime.queue.failures import QueueAddressInvalid
from docparser_runtime.queue.grouping import Grouping, Outcome, Rule, outcomes
from docparser_runtime.queue.notices import Notices

T = TypeVar("T")

_WRITING = 6
_READING = 4
"""Connections, at most, of each kind; one more carries notices."""
_WAIT_SECONDS = 5
"""How long a call waits for a connection."""
_ANSWER_SECONDS = 30
_SETTINGS = {
    "application_name": "docparser-queue",
    "statement_timeout": "20s",
    "lock_timeout": "10s",
    # A process that is paused inside a transaction must not keep its locks.
    "idle_in_transaction_session_timeout": "5s",
    "jit": "off",
}


class Connecting:
    """Makes connections to the database that an address names, in all the forms of libpq."""

    def __init__(self, address: str) -> None:
        self._address = address

    async def __call__(self, *_arguments: object, **_options: object) -> Any:
        """Return a new connection of the driver."""
        try:
            return await asyncpg.connect(
                self._address,
                timeout=_WAIT_SECONDS,
                command_timeout=_ANSWER_SECONDS,
                server_settings=_SETTINGS,
            )
        except (asyncpg.ClientConfigurationError, ValueError):
            # What these say may quote the address.
            raise QueueAddressInvalid(
                "the address of the queue's database cannot be understood; write "
                "postgresql://USER:PASSWORD@HOST/DATABASE"
            ) from None


def _engine(connecting: Connecting, most: int, **options: Any) -> AsyncEngine:
    engine = create_async_engine(
        "postgresql+asyncpg://",
        async_creator=connecting,
        hide_parameters=True,
        pool_size=most,
        max_overflow=0,
        pool_timeout=_WAIT_SECONDS,
        **options,
    )
    freshness.watch(engine)
    return engine


class PostgresDatabase:
    """A database that any number of processes share."""

    def __init__(self, address: str) -> None:
        self.changes = Changes()
        connecting = Connecting(address)
        self._writing = _engine(connecting, _WRITING)
        # Connections of their own: to change the isolation of one takes longer than a read.
        self._reading = _engine(connecting, _READING, isolation_level="AUTOCOMMIT")
        self._grouping = Grouping(self._apply)
        self._notices = Notices(connecting, self.changes)

    @classmethod
    async def open(cls, url: URL, migrating: Migrating) -> Self:
        """Connect, and bring the tables up to date.

        Raises:
            QueueUnavailable: the database does not answer.
        """
        database = cls(url.render_as_string(hide_password=False))
        try:
            await database.write(migrating)
        except BaseException:
            await database.close()
            raise
        database._notices.start()
        return database

    async def read(self, rule: Rule[T]) -> T:
        """Return what the rule returns."""
        with told_apart():
            async with self._reading.connect() as connection:
                return await connection.run_sync(rule)

    async def write(self, rule: Rule[T], *, shared: bool = False) -> T:
        """Return what the rule returns, once it is safe."""
        if shared:
            return await self._grouping.write(rule)
        with told_apart():
            async with self._writing.begin() as connection:
                return await connection.run_sync(rule)

    def tell(self, *kinds: Kind) -> None:
        """Wake those who wait, here at once and elsewhere by a notice."""
        self.changes.tell(*kinds)
        self._notices.send(*kinds)

    async def close(self) -> None:
        """Finish what was begun, and close the connections."""
        await self._grouping.close()
        await self._notices.close()
        with suppress(OSError, asyncio.TimeoutError):
            await self._writing.dispose()
            await self._reading.dispose()

    async def _apply(self, rules: Sequence[Rule[Any]]) -> list[Outcome]:
        with told_apart():
            async with self._writing.begin() as connection:
                return await connection.run_sync(outcomes, rules)

"""Notices between the processes that share a PostgreSQL database.

They are sent after the commit, on a connection of their own: inside a transaction they would make
all commits of the database wait for each other. One that is lost costs a moment, never a job.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from docparser_runtime.queue.changes import Changes, Kind

_CHANNEL = "docparser_queue"
_BLIND_SECONDS = 0.25
"""How often those who wait are woken while no notices come in."""
_GATHER_SECONDS = 0.002
"""Changes within this time are one notice."""
_LIFE_SECONDS = 10
"""How often a silent connection is tried."""


class Notices:
    """Hears of changes elsewhere and tells others of ours, for as long as it is started."""

    def __init__(self, connecting: Callable[[], Awaitable[Any]], changes: Changes) -> None:
        self._connecting = connecting
        self._changes = changes
        self._to_send: set[Kind] = set()
        self._wake = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to listen and to send."""
        self._task = asyncio.create_task(self._run())

    def send(self, *kinds: Kind) -> None:
        """Tell other processes soon; at once would cost a message for each change."""
        self._to_send.update(kinds)
        self._wake.set()

    async def close(self) -> None:
        """Stop, and close the connection."""
        if self._task is not None:
            # More than once: a driver that is about to fail may swallow it.
            while not self._task.done():
                self._task.cancel()
                await asyncio.wait({self._task}, timeout=1)

    async def _run(self) -> None:
        while True:
            # A driver whose server dies has more errors than names. Those who use the queue meet
            # the outage themselves, and tell of it.
            with suppress(Exception):
                await self._serve(await self._connecting())
            # Nobody can say what was missed: all look for themselves until notices come again.
            self._changes.tell(*Kind)
            await asyncio.sleep(_BLIND_SECONDS)

    async def _serve(self, connection: Any) -> None:
        try:
            connection.add_termination_listener(lambda _connection: self._wake.set())
            own_pid = connection.get_server_pid()

            def hear(_connection: Any, sender_pid: int, _channel: str, payload: str) -> None:
                # What this process sent it has told its own already.
                if sender_pid != own_pid and payload in set(Kind):
                    self._changes.tell(Kind(payload))

            await connection.add_listener(_CHANNEL, hear)
            self._changes.tell(*Kind)
            while not connection.is_closed():
                with suppress(TimeoutError):
                    async with asyncio.timeout(_LIFE_SECONDS):
                        await self._wake.wait()
                await asyncio.sleep(_GATHER_SECONDS)
                self._wake.clear()
                kinds, self._to_send = self._to_send, set()
                for kind in kinds:
                    await connection.execute(f"SELECT pg_notify('{_CHANNEL}', '{kind}')")
                if not kinds:
                    # A connection that was cut without a word is found by asking only.
                    await connection.execute("SELECT 1")
        finally:
            connection.terminate()

"""Looks at many subjects, each when it is due, and never twice at the same time."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Generic, Protocol, TypeVar

import structlog

from docparser_operator.kinds import Key

log = structlog.get_logger(__name__)


class Watch(Protocol):
    """What is known of one subject.

    Attributes:
        due_seconds: when it is to be looked at, by the clock of the rounds.
        is_looking: whether that is being done.
    """

    due_seconds: float
    is_looking: bool


W = TypeVar("W", bound=Watch)


class Rounds(Generic[W]):
    """Looks at watches that are due.

    Args:
        look: looks once at one of them, and says when it is due again before it first waits.
        clock: seconds that never go back.

    Attributes:
        watches: by key; whoever changes them calls `changed`.
    """

    def __init__(
        self, look: Callable[[Key, W], Awaitable[None]], clock: Callable[[], float]
    ) -> None:
        self.watches: dict[Key, W] = {}
        self._look = look
        self._clock = clock
        self._changed = asyncio.Event()

    def changed(self) -> None:
        """Look anew at what is due."""
        self._changed.set()

    async def run(self) -> None:
        """Look until cancelled."""
        try:
            async with asyncio.TaskGroup() as group:
                while True:
                    self._changed.clear()
                    for key, watch in self._due():
                        watch.is_looking = True
                        group.create_task(self._look_once(key, watch))
                    with contextlib.suppress(TimeoutError):
                        await asyncio.wait_for(self._changed.wait(), self._pause_seconds())
        finally:
            for watch in self.watches.values():
                watch.is_looking = False

    async def _look_once(self, key: Key, watch: W) -> None:
        try:
            await self._look(key, watch)
        except Exception:
            # A fault of ours with one object must not stop the others.
            log.exception("measuring failed", key=str(key))
        watch.is_looking = False
        self._changed.set()

    def _due(self) -> list[tuple[Key, W]]:
        now = self._clock()
        waiting = ((key, watch) for key, watch in self.watches.items() if not watch.is_looking)
        return [(key, watch) for key, watch in waiting if watch.due_seconds <= now]

    def _pause_seconds(self) -> float | None:
        """Return the time until a subject is due; None if only a change can make one so."""
        due = [watch.due_seconds for watch in self.watches.values() if not watch.is_looking]
        return max(0.0, min(due) - self._clock()) if due else None

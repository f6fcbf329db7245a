"""Parser processes for the taking: each is used once, and one spare is always being started."""

import asyncio
import logging
from collections.abc import Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from docparser_runtime.documents.process import (
    COMMAND,
    ParserProcess,
    ProcessGone,
    ProtocolViolation,
)
from docparser_runtime.errors import ParserUnavailable
from docparser_runtime.parser_child.limits import Limits

T = TypeVar("T")

START_SECONDS = 30
"""Longest start of a parser process, on a node that is busy."""
_THREADS = 4

_log = logging.getLogger(__name__)


class ProcessPool:
    """Hands out processes that are confined and have not seen a document."""

    def __init__(self, limits: Limits, command: Sequence[str] = COMMAND) -> None:
        self._limits = limits
        self._command = command
        self._executor = ThreadPoolExecutor(_THREADS, thread_name_prefix="parser")
        self._spare: asyncio.Task[ParserProcess] | None = None
        self._running: set[ParserProcess] = set()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._has_warned = False

    async def start(self) -> None:
        """Start the spare and wait until it is ready.

        Raises:
            ParserUnavailable: it does not start.
        """
        if self._spare is None:
            self._spare = self._task(self._started())
        await asyncio.shield(self._spare)

    async def take(self) -> ParserProcess:
        """Return a fresh process, which the caller must give to `end`, and start the next spare.

        Raises:
            ParserUnavailable: it does not start.
        """
        spare = self._spare or self._task(self._started())
        self._spare = self._task(self._started())
        try:
            process = await asyncio.shield(spare)
        except asyncio.CancelledError:
            self._task(self._discarded(spare))
            raise
        if process.is_alive:
            return process
        await self.end(process)
        return await self._started()

    async def end(self, process: ParserProcess) -> None:
        """Kill `process` and free what it took."""
        try:
            await process.end()
        finally:
            self._running.discard(process)

    async def close(self) -> None:
        """End every process, those in use too."""
        if self._spare is not None:
            await self._discarded(self._spare)
            self._spare = None
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.gather(*(self.end(process) for process in [*self._running]))
        self._executor.shutdown()

    async def _started(self) -> ParserProcess:
        process = ParserProcess(self._executor, self._limits, self._command)
        self._running.add(process)
        try:
            async with asyncio.timeout(START_SECONDS):
                ready = await process.start()
        except (OSError, ProcessGone, ProtocolViolation, TimeoutError) as error:
            await self.end(process)
            raise ParserUnavailable("No process can be started to open documents.") from error
        except BaseException:
            await self.end(process)
            raise
        if ready.refused and not self._has_warned:
            self._has_warned = True
            _log.warning("the kernel refuses to confine parsers by: %s", ", ".join(ready.refused))
        return process

    async def _discarded(self, starting: "asyncio.Task[ParserProcess]") -> None:
        """End the process that `starting` brings, if it brings one."""
        (process,) = await asyncio.gather(starting, return_exceptions=True)
        if isinstance(process, ParserProcess):
            await self.end(process)

    def _task(self, coroutine: Coroutine[Any, Any, T]) -> "asyncio.Task[T]":
        task = asyncio.get_running_loop().create_task(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

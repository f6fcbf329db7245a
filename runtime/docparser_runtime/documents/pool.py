"""Parser processes for the taking: each is used once, and one spare is always kept."""

import asyncio
import logging
from collections.abc import Coroutine, Sequence
from typing import Any, TypeVar

from docparser_runtime.documents.process import ParserProcess, ProcessGone, ProtocolViolation
from docparser_runtime.documents.zygote import COMMAND, ZygoteProcess
from docparser_runtime.errors import ParserUnavailable
from docparser_runtime.parser_child.limits import Limits

T = TypeVar("T")

START_SECONDS = 30
"""Longest wait for a parser process, on a node that is busy."""
_STARTS_AT_ONCE = 8
"""More would only wait for each other, and fill the socket on which they are asked for."""
_ENDS_AT_ONCE = 4
"""Processes that may be on their way out while nobody waits for it; they still hold memory."""
_NO_PROCESS = (OSError, ProcessGone, ProtocolViolation)

_log = logging.getLogger(__name__)


class ProcessPool:
    """Hands out processes that are confined and have not seen a document."""

    def __init__(self, limits: Limits, command: Sequence[str] = COMMAND) -> None:
        self._limits = limits
        self._command = command
        self._zygote: ZygoteProcess | None = None
        self._starts = asyncio.Semaphore(_STARTS_AT_ONCE)
        self._spare: asyncio.Task[ParserProcess] | None = None
        self._running: dict[ParserProcess, ZygoteProcess] = {}
        self._tasks: set[asyncio.Task[Any]] = set()
        self._ending: set[asyncio.Task[None]] = set()
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
        """Return a fresh process and start the next spare. The caller must have it ended.

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
        zygote = self._running.get(process)
        try:
            death = await process.end()
        finally:
            self._running.pop(process, None)
        if death.exit_code is None and zygote is not None:
            # Who does not tell that a process died is dead, or of no more use.
            await self._give_up(zygote)

    async def let_go(self, process: ParserProcess) -> None:
        """Kill `process`; unless many are being ended, its end comes after the return.

        To end takes a process longer than to draw a page, and whoever waits for the page need not
        wait for that.
        """
        ending = self._task(self.end(process))
        self._ending.add(ending)
        ending.add_done_callback(self._ending.discard)
        if len(self._ending) > _ENDS_AT_ONCE:
            await asyncio.shield(ending)

    async def close(self) -> None:
        """End every process, those in use too."""
        if self._spare is not None:
            await self._discarded(self._spare)
            self._spare = None
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.gather(*(self.end(process) for process in [*self._running]))
        if self._zygote is not None:
            await self._zygote.end()
            self._zygote = None

    async def _started(self) -> ParserProcess:
        try:
            async with asyncio.timeout(START_SECONDS), self._starts:
                try:
                    return await self._greeted()
                except _NO_PROCESS:
                    # The zygote may have died since it was last needed; this starts a new one.
                    return await self._greeted()
        except (*_NO_PROCESS, TimeoutError) as error:
            raise ParserUnavailable("No process can be started to open documents.") from error

    async def _greeted(self) -> ParserProcess:
        """Return a process that has said that it is ready."""
        if self._zygote is None:
            self._zygote = ZygoteProcess(self._command)
        zygote = self._zygote
        try:
            process = zygote.parser(self._limits)
        except ConnectionError:
            await self._give_up(zygote)
            raise
        self._running[process] = zygote
        try:
            ready = await process.greeting()
        except BaseException:
            await self.end(process)
            raise
        if ready.refused and not self._has_warned:
            self._has_warned = True
            _log.warning("the kernel refuses to confine parsers by: %s", ", ".join(ready.refused))
        return process

    async def _give_up(self, zygote: ZygoteProcess) -> None:
        """End a zygote that is dead or stuck; who needs the next one starts it."""
        if self._zygote is zygote:
            self._zygote = None
            _log.warning("the process that starts parsers ended or hangs; it is started anew")
        await zygote.end()

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

"""The place where tasks are kept: opened while the service runs, as soon as it can be.

A database or a store that does not answer keeps tasks out, and nothing else: until it answers they
are refused, and it is asked again and again. One that is damaged ends the service.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import partial
from typing import Final

from docparser_api.runtime import RuntimeConfig, TasksConfig

from docparser_runtime.documents.base import DocumentReader
from docparser_runtime.engine.traits import Traits
from docparser_runtime.errors import DocParserError
from docparser_runtime.gate import Gate
from docparser_runtime.logs import Log
from docparser_runtime.metrics import Metrics
from docparser_runtime.page.pictures import PagePictures
from docparser_runtime.queue.base import Queue
from docparser_runtime.queue.values import Rules
from docparser_runtime.reading import DocumentWork
from docparser_runtime.storage.access import Access
from docparser_runtime.storage.base import ObjectStore
from docparser_runtime.storage.opening import open_store
from docparser_runtime.storage.sweeping import Sweeper
from docparser_runtime.task_errors import QueueUnavailable, TasksDisabled
from docparser_runtime.tasks.callbacks import OutboxCallbacks, check_secrets, outbound_of
from docparser_runtime.tasks.desk import TaskDesk
from docparser_runtime.tasks.door import TaskDoor, Terms
from docparser_runtime.tasks.job_work import JobTools, JobWork
from docparser_runtime.tasks.keeping import Keeping
from docparser_runtime.tasks.pace import Pace
from docparser_runtime.tasks.persistence import persistently
from docparser_runtime.tasks.shedding import Shedding
from docparser_runtime.tasks.tracks import tracks_of
from docparser_runtime.tasks.upkeep import Upkeep, known_jobs
from docparser_runtime.tasks.waiting_pages import WaitingPages
from docparser_runtime.tasks.wakeup import wake_up_of
from docparser_runtime.tasks.watch import JobWatch
from docparser_runtime.tasks.worker import Bench, Worker
from docparser_runtime.tracing.spans import Tracing
from docparser_runtime.waiting import happens_within

_RETRY_SECONDS: Final = 2.0


@dataclass(frozen=True)
class Tools:
    """What tasks are worked on with.

    Attributes:
        is_ready: whether the engine is loaded.
        works: whether this process works on tasks, too.
        traits: what requests may ask of the engine.
    """

    config: RuntimeConfig
    reader: DocumentReader
    work: DocumentWork
    gate: Gate
    metrics: Metrics
    model_name: str
    is_ready: Callable[[], bool]
    works: bool
    traits: Traits
    log: Log
    tracing: Tracing


@dataclass(frozen=True)
class Opened:
    """What is there once queue and store answer."""

    door: TaskDoor
    desk: TaskDesk
    pictures: PagePictures
    waiting_pages: WaitingPages


class TaskPlace:
    """Tasks of one service."""

    def __init__(self, keeping: Keeping | None, access: Access, tools: Tools) -> None:
        self._keeping = keeping
        self._access = access
        self._tools = tools
        self._opened: Opened | None = None
        self._worker: Worker | None = None
        self._stack = AsyncExitStack()
        self._is_leaving = False
        self._opening = asyncio.Lock()
        self._stopping = asyncio.Event()

    @property
    def is_open(self) -> bool:
        """Whether tasks are accepted, or never will be because there is no place for them."""
        return self._keeping is None or self._opened is not None

    def opened(self) -> Opened:
        """Return door and desk.

        Raises:
            TasksDisabled: this service keeps no tasks.
            QueueUnavailable: queue or store has not answered yet.
        """
        if self._keeping is None:
            raise TasksDisabled(
                "This service keeps no tasks: it has neither DOCPARSER_DATA nor "
                "DOCPARSER_DATABASE_URL with DOCPARSER_STORE_URL."
            )
        if self._opened is None:
            raise QueueUnavailable("The queue of tasks does not answer; try again later.")
        return self._opened

    async def open(self) -> None:
        """Open the place if it can be opened now; otherwise `run` goes on trying.

        Raises:
            ConfigError: the store's address is wrong.
            QueueUnusable: the queue's database needs mending first.
        """
        async with self._opening:
            if self._keeping is not None and self._opened is None:
                await self._try_to_open(self._keeping)

    async def _try_to_open(self, keeping: Keeping) -> None:
        async with AsyncExitStack() as stack:
            try:
                await self._open(keeping, stack)
            except DocParserError as error:
                self._tools.log.warning("tasks_not_open", code=error.code)
            else:
                self._stack = stack.pop_all()

    async def until_open(self) -> None:
        """Try until the place is open, or the service is to end. Raises as `open` does."""
        await self.open()
        while not self.is_open and not self._stopping.is_set():
            await happens_within(self._stopping, _RETRY_SECONDS)
            await self.open()

    async def run(self) -> None:
        """Open the place, and work on tasks until `stop`."""
        await self.until_open()
        async with self._stack:
            if self._worker is not None:
                await persistently(self._worker.run, "worker", self._tools.log)
            await self._stopping.wait()
            self._opened = None

    def stop_working(self) -> None:
        """Take no more jobs, and give back what is not finished; tasks can still be asked for."""
        if self._worker is not None:
            self._worker.stop()
        self._is_leaving = True

    def stop(self) -> None:
        """End `run`."""
        self.stop_working()
        self._stopping.set()

    async def _open(self, keeping: Keeping, stack: AsyncExitStack) -> None:
        # Databases and their migrations take a second to import: only where there are tasks.
        from docparser_runtime.queue.sql import SqlQueue  # noqa: PLC0415

        tools, config = self._tools, self._tools.config.tasks
        check_secrets(config.callbacks, keeping.callback_secrets)
        tracks, split_file = tracks_of(keeping, tools.metrics.tasks, tools.log)
        if split_file is not None:
            stack.callback(_going(split_file.watch, "split", tools.log).cancel)
        store = await open_store(keeping.store_url, self._access, config, tools.log)
        stack.push_async_callback(store.close)
        queue = await SqlQueue.open(keeping.database_url, _rules(config))
        stack.push_async_callback(queue.close)
        watch = JobWatch(queue, tools.log)
        stack.push_async_callback(watch.close)
        shedding = Shedding(config, tools.metrics.tasks)
        if tools.works and not self._is_leaving:
            self._worker = _worker(queue, store, keeping.track, shedding, tools)
        outbound = outbound_of(config.callbacks)
        callbacks = OutboxCallbacks(queue.outbox, outbound, keeping.callback_secrets)
        calling = partial(callbacks.run, tools.log, tools.metrics.tasks)
        stack.callback(_going(calling, "callbacks", tools.log).cancel)
        sweeper = Sweeper(store, partial(known_jobs, queue))
        metrics, seconds = tools.metrics.tasks, config.lease_seconds
        upkeep = Upkeep(queue, store, sweeper, metrics, shedding, tracks, seconds, tools.log)
        stack.callback(_going(upkeep.run, "upkeep", tools.log).cancel)
        pace = Pace(queue, wake_up_of(keeping.split_file))
        terms = Terms(tracks, pace, config.max_pages, tools.traits)
        self._opened = Opened(
            TaskDoor(queue, store, tools.reader, callbacks, terms),
            TaskDesk(queue, store, watch),
            PagePictures(store, tools.reader),
            WaitingPages(queue, metrics, lambda: self._is_leaving),
        )


def _going(loop: Callable[[], Awaitable[None]], name: str, log: Log) -> asyncio.Task[None]:
    """Return a task in which `loop` goes on."""
    return asyncio.create_task(persistently(loop, name, log))


def _worker(
    queue: Queue, store: ObjectStore, track: str, shedding: Shedding, tools: Tools
) -> Worker:
    config = tools.config.tasks
    work = JobTools(
        queue,
        store,
        tools.work,
        tools.metrics,
        tools.model_name,
        config.max_pages,
        tools.traits,
        shedding.at_most,
        tools.log,
    )
    return Worker(
        Bench(
            queue,
            JobWork(work),
            tools.gate,
            tools.metrics.tasks,
            frozenset({track}),
            config.lease_seconds,
            tools.is_ready,
            tools.log,
            tools.tracing,
        )
    )


def _rules(config: TasksConfig) -> Rules:
    return Rules(
        config.max_queued_pages,
        config.max_queued_pages_per_tenant,
        config.max_running_per_tenant,
        config.lease_seconds,
        config.max_crashes,
        config.retention_seconds,
    )

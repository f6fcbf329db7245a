"""Programs that tests start, kill and pause: one works on a queue, one fills it, one blocks it.

Each appends what it does to a file, a line at a time, so that a kill loses nothing of it:
`ask` (for a job), `claim`, `page` (its reading begins), `saved`, `done`, `lost`, `stopped`, and
`try`, `ack`, and `unavailable` when the database did not answer; `paused` and `committed` of who
blocks it.
"""

import asyncio
import multiprocessing
import os
import random
import signal
import threading
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from docparser_runtime.queue.base import LostClaim
from docparser_runtime.queue.locks import Lock, take
from docparser_runtime.queue.sql import SqlQueue
from docparser_runtime.queue.values import Claim, Priority
from docparser_runtime.task_errors import QueueUnavailable, TaskQueueFull
from sqlalchemy import Connection
from support.queues import RULES, TRACK, a_job, page

T = TypeVar("T")

PULSES_PER_LEASE = 5
PAUSE_SECONDS = 0.05


@dataclass(frozen=True)
class Options:
    """What the programs can be told.

    Attributes:
        lease: of a worker's claims, in seconds.
        slots: jobs at the same time.
        window: pages that are saved together.
        page_ms: time that reading a page takes.
        name: of the submitter; its jobs are called so, and a number.
        jobs: number of jobs to submit.
        capacity: pages that may wait; a submitter waits when there are as many.
        max_crashes: without progress, after which a job is dead.
    """

    lease: float = 1.0
    slots: int = 2
    window: int = 1
    page_ms: float = 20.0
    name: str = "job"
    jobs: int = 0
    capacity: int = 10_000_000
    max_crashes: int = RULES.max_crashes


class Record:
    """A file to which several processes append lines."""

    def __init__(self, file: Path) -> None:
        self._descriptor = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    def add(self, what: str, job: str, *more: object) -> None:
        """Append what happens now to a job."""
        words = (what, job, *more, os.getpid(), time.monotonic_ns())
        os.write(self._descriptor, (" ".join(str(word) for word in words) + "\n").encode())


async def persistently(record: Record, call: Callable[[], Awaitable[T]]) -> T:
    """Return what the call returns, once the queue answers and has room."""
    while True:
        try:
            return await call()
        except QueueUnavailable:
            record.add("unavailable", "-")
        except TaskQueueFull:
            pass
        await asyncio.sleep(PAUSE_SECONDS)


class Worker:
    """Works on a few jobs at a time, as the service does."""

    def __init__(self, queue: SqlQueue, record: Record, options: Options) -> None:
        self._queue = queue
        self._record = record
        self._options = options
        self._jobs: dict[str, asyncio.Task[None]] = {}
        self._exclusive = False

    async def run(self) -> None:
        """Work for ever."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._every(self._pulse))
            tasks.create_task(self._every(self._queue.reap))
            tasks.create_task(self._claim())

    async def _every(self, call: Callable[[], Awaitable[Any]]) -> None:
        while True:
            await persistently(self._record, call)
            await asyncio.sleep(self._options.lease / PULSES_PER_LEASE)

    async def _pulse(self) -> None:
        if self._jobs:
            pulse = await self._queue.pulse(tuple(self._jobs))
            for owner in pulse.lost | pulse.cancelled:
                if owner in self._jobs:
                    self._jobs[owner].cancel()

    async def _claim(self) -> None:
        heard = 0
        while True:
            if self._exclusive or len(self._jobs) >= self._options.slots:
                await asyncio.wait(self._jobs.values(), return_when=asyncio.FIRST_COMPLETED)
                continue
            claim = await persistently(self._record, self._asked)
            if claim is None:
                heard = await self._queue.wait_for_work(0.25, heard)
                continue
            self._exclusive = claim.is_exclusive
            self._jobs[claim.owner] = asyncio.create_task(self._work(claim))

    async def _asked(self) -> Claim | None:
        self._record.add("ask", "-")
        return await self._queue.claim({TRACK}, alone=not self._jobs)

    async def _work(self, claim: Claim) -> None:
        try:
            self._record.add("claim", claim.job.id)
            await self._read(claim)
            await persistently(self._record, lambda: self._queue.finish(claim, {"by": claim.owner}))
            self._record.add("done", claim.job.id)
        except LostClaim:
            self._record.add("lost", claim.job.id)
        except asyncio.CancelledError:
            self._record.add("stopped", claim.job.id)
            try:
                await persistently(self._record, lambda: self._queue.release(claim))
            except LostClaim:
                self._record.add("lost", claim.job.id)
        finally:
            del self._jobs[claim.owner]
            self._exclusive = False

    async def _read(self, claim: Claim) -> None:
        missing = [n for n in range(claim.job.pages) if n not in claim.saved]
        for first in range(0, len(missing), self._options.window):
            window = missing[first : first + self._options.window]
            for index in window:
                self._record.add("page", claim.job.id, index)
                if claim.job.payload.get("poison"):
                    os.kill(os.getpid(), signal.SIGKILL)
                await asyncio.sleep(self._options.page_ms / 1000)
            pages = [page(index) for index in window]
            await persistently(self._record, partial(self._queue.save_pages, claim, pages))
            for index in window:
                self._record.add("saved", claim.job.id, index)


async def submit_all(queue: SqlQueue, record: Record, options: Options, done: set[str]) -> None:
    """Submit so many jobs of this name, those left out that are acknowledged."""
    chance = random.Random(options.name)  # noqa: S311 (a test's dice)
    for n in range(options.jobs):
        pages, priority = chance.randint(1, 20), chance.choice(list(Priority))
        job_id = f"{options.name}-{n}"
        if job_id in done:
            continue
        job = a_job(id=job_id, pages=pages, priority=priority, idempotency_key=job_id)
        record.add("try", job_id)
        await persistently(record, partial(queue.submit, job))
        record.add("ack", job_id)


async def pause_inside(queue: SqlQueue, record: Record) -> None:
    """Pause this process once inside a transaction that holds what submissions need."""
    told = list[str]()

    def rule(connection: Connection) -> None:
        take(Lock.SUBMIT, connection)
        if not told:
            told.append("paused")
            record.add("paused", "-")
            # Sent to the process, another thread might take it, and this one commit meanwhile.
            signal.pthread_kill(threading.get_ident(), signal.SIGSTOP)

    await persistently(record, lambda: queue._database.write(rule))
    record.add("committed", "-")


def run(role: str, address: str, record: Path, options: Options) -> None:
    """Be one that works, submits or pauses, until the test is over, even if that was killed."""
    threading.Thread(target=_leave_with_the_test, daemon=True).start()
    asyncio.run(_run(role, address, record, options))


def _leave_with_the_test() -> None:
    test = multiprocessing.parent_process()
    assert test is not None
    test.join()
    os._exit(0)


async def _run(role: str, address: str, record: Path, options: Options) -> None:
    rules = replace(
        RULES,
        lease_seconds=options.lease,
        max_queued_pages=options.capacity,
        max_crashes=options.max_crashes,
    )
    log = Record(record)
    queue = await persistently(log, lambda: SqlQueue.open(address, rules))
    log.add("open", role)
    if role == "work":
        await Worker(queue, log, options).run()
    elif role == "pause":
        await pause_inside(queue, log)
    else:
        await submit_all(queue, log, options, _acknowledged(record))
    await queue.close()


def _acknowledged(record: Path) -> set[str]:
    lines = [line.split() for line in record.read_text().splitlines()]
    return {job for what, job, *_ in lines if what == "ack"}

"""Takes jobs from the queue and works on them, page by page.

A worker is only ever as safe as its claim: it gives signs of life while it works, stops at once
when the claim is lost, and saves each page as soon as it has been read. Whatever kills it, another
worker goes on with the pages that are missing.
"""

import asyncio
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from docparser_runtime.engine.apart.failures import EngineLost
from docparser_runtime.errors import DocParserError
from docparser_runtime.gate import Gate, Place
from docparser_runtime.logs import Log
from docparser_runtime.queue.base import LostClaim, Working
from docparser_runtime.queue.values import Claim, Job, State
from docparser_runtime.task_metrics import TaskMetrics
from docparser_runtime.tasks.debts import Debts
from docparser_runtime.tasks.failures import failure_of
from docparser_runtime.tasks.job_work import JobWork
from docparser_runtime.tasks.payload import UnknownPayload, traceparent_of
from docparser_runtime.tasks.persistence import persistently
from docparser_runtime.tracing import spans
from docparser_runtime.tracing.spans import QueuedTask, Tracing
from docparser_runtime.waiting import happens_within

T = TypeVar("T")

_PULSES_PER_LEASE: Final = 5
_LONGEST_PULSE_SECONDS: Final = 1.0
"""So soon a worker hears that somebody has cancelled its job."""
_IDLE_SECONDS: Final = 1.0
"""Longest wait for news of the queue, where none comes by itself."""
_PAUSE_SECONDS: Final = 2.0
"""Wait after queue or store have failed, so that a broken one is not hammered."""
_PASSING: Final = frozenset({"parser_unavailable", "not_ready"})
"""Failures that say nothing of the document."""
_SERVER_ERRORS: Final = 501
"""From this status on a failure is that of something the worker depends on, not the document's."""


@dataclass(frozen=True)
class Bench:
    """What a worker works with.

    Attributes:
        tracks: of which tracks it takes jobs.
        is_ready: whether the engine is loaded.
    """

    queue: Working
    work: JobWork
    gate: Gate
    metrics: TaskMetrics
    tracks: frozenset[str]
    lease_seconds: float
    is_ready: Callable[[], bool]
    log: Log
    tracing: Tracing
    clock: Callable[[], float] = time.monotonic


class Worker:
    """Works on as many jobs at a time as the gate has places."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._jobs: dict[str, _Job] = {}
        self._debts = Debts(bench.queue)
        self._stopping = asyncio.Event()
        self._heard: int | None = None
        self._holds_back = False
        self._next_look = 0.0

    async def run(self) -> None:
        """Work until `stop`; then give back what is not finished."""
        pulses = asyncio.create_task(persistently(self._pulses, "pulses", self._bench.log))
        try:
            while not self._stopping.is_set():
                await self._next()
        finally:
            await self._give_back()
            pulses.cancel()

    def stop(self) -> None:
        """Take no more jobs, and end `run` once the pages at hand are saved."""
        self._stopping.set()

    async def _next(self) -> None:
        """Start one job, or wait for one."""
        if not self._bench.is_ready() or await self._must_hold_back():
            await self._rest(_IDLE_SECONDS)
            return
        place = await self._unless_stopped(self._bench.gate.enter_patiently())
        if place is None:
            return
        try:
            claim = await self._bench.queue.claim(self._bench.tracks, alone=not self._jobs)
        except DocParserError as error:
            place.give_back()
            self._bench.log.warning("claim_failed", code=error.code)
            await self._rest(_PAUSE_SECONDS)
            return
        if claim is not None:
            self._start(claim, place)
        else:
            place.give_back()
            waiting = self._bench.queue.wait_for_work(_IDLE_SECONDS, self._heard)
            self._heard = await self._unless_stopped(waiting)

    async def _must_hold_back(self) -> bool:
        """Return whether to take no job beside those at hand.

        A job over which workers have crashed runs alone, so that it takes nobody down with it; a
        worker that always has another one would never get to it.
        """
        if any(job.claim.is_exclusive for job in self._jobs.values()):
            return True
        now = self._bench.clock()
        if self._jobs and now >= self._next_look:
            self._next_look = now + _IDLE_SECONDS
            try:
                waits = [await self._bench.queue.alone_wait_seconds(t) for t in self._bench.tracks]
            except DocParserError:
                waits = [0.0]  # the claim will tell
            self._holds_back = max(waits) > self._bench.lease_seconds
        return bool(self._jobs) and self._holds_back

    async def _unless_stopped(self, work: Coroutine[Any, Any, T]) -> T | None:
        """Return what `work` returns; None when the worker is to stop before that."""
        working = asyncio.create_task(work)
        stopping = asyncio.create_task(self._stopping.wait())
        await asyncio.wait({working, stopping}, return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()
        if working.done():
            return working.result()
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)
        return None

    async def _rest(self, seconds: float) -> None:
        await happens_within(self._stopping, seconds)

    def _start(self, claim: Claim, place: Place) -> None:
        task = asyncio.create_task(self._work(claim))
        self._jobs[claim.owner] = _Job(claim, task)

        def end(_: asyncio.Task[None]) -> None:
            del self._jobs[claim.owner]
            place.release()

        task.add_done_callback(end)

    async def _work(self, claim: Claim) -> None:
        with self._bench.tracing.of_task(_queued(claim.job)):
            is_put_off = await self._attempt(claim)
        if is_put_off:
            await self._rest(_PAUSE_SECONDS)

    async def _attempt(self, claim: Claim) -> bool:
        """Return whether something that the job needs does not work at the moment."""
        try:
            await self._finish(claim)
        except (LostClaim, EngineLost):  # that of a dead engine's job ends too: it is a crash
            spans.fail("task_lost")
            self._bench.log.warning("task_lost", task=claim.job.id)
        except DocParserError as error:
            spans.fail(error.code)
            self._bench.log.warning("task_put_off", task=claim.job.id, code=error.code)
            await self._debts.give_back(claim)
            return True
        except Exception as error:
            spans.fail(type(error).__name__)
            # The lease ends, and with it this attempt: it counts like a crash.
            self._bench.log.exception("task_attempt_failed", task=claim.job.id)
        return False

    async def _finish(self, claim: Claim) -> None:
        """Bring the job to its end, or give it back."""
        queue = self._bench.queue
        try:
            result = await self._bench.work.result(claim)
        except asyncio.CancelledError:
            spans.fail("cancelled")
            await queue.release(claim)
        except UnknownPayload:
            spans.fail("newer_release_needed")
            # A worker of the newer release gets it meanwhile, or after this.
            await self._rest(_PAUSE_SECONDS)
            await queue.release(claim)
        except DocParserError as error:
            if _is_passing(error):
                raise
            spans.fail(error.code)
            if await queue.fail(claim, failure_of(error)) is State.FAILED:
                self._bench.metrics.ended.labels(error.code).inc()
        else:
            if await queue.finish(claim, result) is State.DONE:  # nobody cancelled it meanwhile
                self._bench.metrics.ended.labels("ok").inc()

    async def _pulses(self) -> None:
        """Give signs of life, and stop what must stop."""
        while True:
            lease = self._bench.lease_seconds
            await asyncio.sleep(min(lease / _PULSES_PER_LEASE, _LONGEST_PULSE_SECONDS))
            if not self._jobs and not self._debts.owners:
                continue
            try:
                pulse = await self._bench.queue.pulse((*self._jobs, *self._debts.owners))
                await self._debts.settle()
            except DocParserError as error:
                self._bench.log.warning("pulse_failed", code=error.code)
                continue
            for owner in pulse.lost | pulse.cancelled:
                if owner in self._jobs:
                    self._jobs[owner].stop()

    async def _give_back(self) -> None:
        jobs = tuple(self._jobs.values())
        for job in jobs:
            job.stop()
        await asyncio.gather(*(job.task for job in jobs), return_exceptions=True)


@dataclass
class _Job:
    """A job at hand."""

    claim: Claim
    task: asyncio.Task[None]
    stopped: bool = False

    def stop(self) -> None:
        """End the work, once: it then saves its last page and gives the job back."""
        if not self.stopped:
            self.stopped = True
            self.task.cancel()


def _queued(job: Job) -> QueuedTask:
    started_at = job.started_at or job.created_at
    return QueuedTask(job.id, traceparent_of(job.payload), job.created_at, started_at)


def _is_passing(error: DocParserError) -> bool:
    """Return whether another attempt may succeed with the same document."""
    return error.code in _PASSING or error.status >= _SERVER_ERRORS

"""Takes jobs from the queue and works on them, page by page.

A worker is only ever as safe as its claim: it gives signs of life while it works, stops at once
when the claim is lost, and saves each page as soon as it has been read. Whatever kills it, another
worker goes on with the pages that are missing.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from docparser_runtime.errors import DocParserError
from docparser_runtime.gate import Gate, Place
from docparser_runtime.logs import Log
from docparser_runtime.queue.base import LostClaim, Working
from docparser_runtime.queue.values import Claim, Failure
from docparser_runtime.tasks.job_work import JobWork
from docparser_runtime.tasks.payload import UnknownPayload

_PULSES_PER_LEASE: Final = 5
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
    tracks: frozenset[str]
    lease_seconds: float
    is_ready: Callable[[], bool]
    log: Log


class Worker:
    """Works on as many jobs at a time as the gate has places."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._jobs: dict[str, asyncio.Task[None]] = {}
        self._cancelled: set[str] = set()
        self._stopping = asyncio.Event()

    async def run(self) -> None:
        """Work until `stop`; then give back what is not finished."""
        pulses = asyncio.create_task(self._pulses())
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
        if not self._bench.is_ready():
            await self._rest(_IDLE_SECONDS)
            return
        place = await self._place()
        if place is None:
            return
        try:
            claim = await self._bench.queue.claim(self._bench.tracks, alone=not self._jobs)
        except DocParserError as error:
            place.give_back()
            self._bench.log.warning("claim_failed", code=error.code)
            await self._rest(_PAUSE_SECONDS)
            return
        if claim is None:
            place.give_back()
            await self._wait_for_news()
        else:
            self._start(claim, place)

    async def _place(self) -> Place | None:
        """Return a place at the gate when there is one; None when the worker is to stop."""
        entering = asyncio.create_task(self._bench.gate.enter_patiently())
        stopping = asyncio.create_task(self._stopping.wait())
        await asyncio.wait({entering, stopping}, return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()
        if entering.done():
            return entering.result()
        entering.cancel()
        await asyncio.gather(entering, return_exceptions=True)
        return None

    async def _wait_for_news(self) -> None:
        news = asyncio.create_task(self._bench.queue.wait_for_change(_IDLE_SECONDS))
        stopping = asyncio.create_task(self._stopping.wait())
        await asyncio.wait({news, stopping}, return_when=asyncio.FIRST_COMPLETED)
        for task in (news, stopping):
            task.cancel()
        await asyncio.gather(news, stopping, return_exceptions=True)

    async def _rest(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self._stopping.wait()
        except TimeoutError:
            pass

    def _start(self, claim: Claim, place: Place) -> None:
        job = asyncio.create_task(self._work(claim))
        self._jobs[claim.owner] = job

        def end(_: asyncio.Task[None]) -> None:
            del self._jobs[claim.owner]
            self._cancelled.discard(claim.owner)
            place.release()

        job.add_done_callback(end)

    async def _work(self, claim: Claim) -> None:
        log = self._bench.log.bind(task=claim.job.id)
        try:
            await self._finish(claim)
        except LostClaim:
            log.warning("task_lost")
        except DocParserError as error:
            log.warning("task_work_failed", code=error.code)
            await self._rest(_PAUSE_SECONDS)

    async def _finish(self, claim: Claim) -> None:
        """Bring the job to its end, or give it back."""
        queue = self._bench.queue
        try:
            result = await self._bench.work.result(claim)
        except asyncio.CancelledError:
            await queue.release(claim)
        except UnknownPayload:
            await queue.release(claim)
            await self._rest(_PAUSE_SECONDS)
        except DocParserError as error:
            if _is_passing(error):
                await queue.release(claim)
                raise
            await queue.fail(claim, Failure(error.code, error.detail))
        else:
            await queue.finish(claim, result)

    async def _pulses(self) -> None:
        """Give signs of life, and stop what must stop."""
        while True:
            await asyncio.sleep(self._bench.lease_seconds / _PULSES_PER_LEASE)
            if not self._jobs:
                continue
            try:
                pulse = await self._bench.queue.pulse(tuple(self._jobs))
            except DocParserError as error:
                self._bench.log.warning("pulse_failed", code=error.code)
                continue
            for owner in pulse.lost | pulse.cancelled:
                self._cancel(owner)

    def _cancel(self, owner: str) -> None:
        """End the work on a job, once: it then saves its last page."""
        if owner in self._jobs and owner not in self._cancelled:
            self._cancelled.add(owner)
            self._jobs[owner].cancel()

    async def _give_back(self) -> None:
        for owner in tuple(self._jobs):
            self._cancel(owner)
        await asyncio.gather(*self._jobs.values(), return_exceptions=True)


def _is_passing(error: DocParserError) -> bool:
    """Return whether another attempt may succeed with the same document."""
    return error.code in _PASSING or error.status >= _SERVER_ERRORS

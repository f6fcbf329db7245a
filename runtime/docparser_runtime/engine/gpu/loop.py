"""Continuous batching: one thread that schedules a step, runs it and tells of what came of it."""

import threading
import time
from collections.abc import Callable, Mapping
from collections.abc import Sequence as Many
from typing import Protocol

import torch

from docparser_runtime.engine.generation.requests import DecodeStep, PrefillStep, Step, VisionStep
from docparser_runtime.engine.generation.scheduler import Scheduler
from docparser_runtime.engine.gpu.jobs import Failed, Job
from docparser_runtime.engine.gpu.sequence import Sequence


class LoopStopped(RuntimeError):  # noqa: N818 (a state, told to whoever comes too late)
    """The loop has ended; nothing can be written any more."""


class Worker(Protocol):
    """What runs steps: see `Runner`."""

    def add(self, sequence: Sequence) -> None:
        """Take up a sequence."""
        ...

    def remove(self, request_id: int) -> None:
        """Forget a sequence."""
        ...

    def encode(self, step: VisionStep) -> None:
        """Encode pages."""
        ...

    def prefill(self, step: PrefillStep, tables: Mapping[int, Many[int]]) -> dict[int, list[int]]:
        """Take in runs of prompts; return the first token of each request whose prompt ended."""
        ...

    def decode(self, step: DecodeStep) -> dict[int, list[int]]:
        """Write tokens, and return those of each request."""
        ...


class Loop:
    """Owns scheduler and worker; jobs come and go from any thread.

    Args:
        scheduler: decides on steps.
        runner: runs them.
        clock: measures steps.
    """

    def __init__(
        self,
        scheduler: Scheduler,
        runner: Worker,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._scheduler = scheduler
        self._runner = runner
        self._clock = clock
        self._jobs: dict[int, Job] = {}
        self._news = threading.Condition()
        self._arrived: list[Job] = []
        self._unwanted: list[int] = []
        self._is_over = False
        self._thread = threading.Thread(target=self._run, name="generation", daemon=True)

    def start(self) -> None:
        """Begin to work."""
        self._thread.start()

    def submit(self, job: Job) -> None:
        """Let `job` wait for its turn; its events tell what becomes of it.

        Raises:
            LoopStopped: nothing is written any more.
        """
        with self._news:
            if self._is_over:
                raise LoopStopped
            self._arrived.append(job)
            self._news.notify()

    def cancel(self, request_id: int) -> None:
        """Leave a job off before the next step, if it is not over; no more events come of it."""
        with self._news:
            self._unwanted.append(request_id)
            self._news.notify()

    def close(self) -> None:
        """End after the step that is running; jobs that are not over fail."""
        with self._news:
            self._is_over = True
            self._news.notify()
        self._thread.join()

    def _run(self) -> None:
        try:
            while self._take_news():
                self._turn()
        finally:
            # After an error the device cannot be trusted, and nobody may wait for ever.
            self._fail_all()

    def _take_news(self) -> bool:
        """Take in and leave off jobs; wait if there is nothing to do. Returns False at the end."""
        with self._news:
            while not self._is_over and self._scheduler.is_idle and not self._arrived:
                self._unwanted.clear()
                self._news.wait()
            arrived, self._arrived = self._arrived, []
            unwanted, self._unwanted = self._unwanted, []
            is_over = self._is_over
        for job in arrived:
            self._begin(job)
        for request_id in unwanted:
            if request_id in self._jobs:
                self._scheduler.end(request_id)
                self._forget(request_id)
        return not is_over

    def _begin(self, job: Job) -> None:
        try:
            self._scheduler.submit(job.request)
        except ValueError as error:
            job.events.put(Failed(str(error)))
            return
        self._jobs[job.request.id] = job
        self._runner.add(job.sequence)

    def _turn(self) -> None:
        """Schedule a step, run it, and tell what came of it."""
        step = self._scheduler.schedule()
        if step is None:
            return
        begin = self._clock()
        try:
            written = self._perform(step)
        except torch.OutOfMemoryError:
            torch.cuda.empty_cache()
            self._scheduler.ran(self._clock() - begin)
            self._give_up(_ids(step))
            return
        over = self._scheduler.ran(self._clock() - begin)
        for request_id, tokens in written.items():
            stop = self._jobs[request_id].take(tokens)
            if stop is not None:
                if request_id not in over:
                    self._scheduler.end(request_id)
                self._forget(request_id)

    def _perform(self, step: Step) -> dict[int, list[int]]:
        if isinstance(step, VisionStep):
            self._encode(step)
            return {}
        if isinstance(step, PrefillStep):
            tables = {run.id: self._scheduler.block_table(run.id) for run in step.chunks}
            return self._runner.prefill(step, tables)
        return self._runner.decode(step)

    def _encode(self, step: VisionStep) -> None:
        """Encode pages together or, where memory does not suffice, one by one."""
        try:
            self._runner.encode(step)
        except torch.OutOfMemoryError:
            if len(step.pages) == 1:
                raise
            torch.cuda.empty_cache()
            for page in step.pages:
                self._runner.encode(VisionStep((page,)))

    def _give_up(self, request_ids: set[int]) -> None:
        for request_id in request_ids & self._jobs.keys():
            if self._scheduler.stage(request_id) is not None:
                self._scheduler.end(request_id)
            failed = Failed("there is too little memory for the page", is_memory_short=True)
            self._jobs[request_id].events.put(failed)
            self._forget(request_id)

    def _forget(self, request_id: int) -> None:
        del self._jobs[request_id]
        self._runner.remove(request_id)

    def _fail_all(self) -> None:
        with self._news:
            self._is_over = True
            waiting, self._arrived = self._arrived, []
        for job in (*self._jobs.values(), *waiting):
            job.events.put(Failed("the engine has stopped"))


def _ids(step: Step) -> set[int]:
    if isinstance(step, VisionStep):
        return {request_id for request_id, _ in step.pages}
    if isinstance(step, DecodeStep):
        return set(step.ids)
    return {run.id for run in step.chunks}

"""The loop with a worker that computes nothing: what it tells, and what it does about faults."""

import threading
from collections.abc import Iterator, Mapping
from collections.abc import Sequence as Many
from contextlib import contextmanager
from dataclasses import dataclass, field

import pytest
import torch
from docparser_runtime.engine.generation.prompts import END, Prompt
from docparser_runtime.engine.generation.requests import (
    DecodeStep,
    Limits,
    PrefillStep,
    Request,
    VisionStep,
)
from docparser_runtime.engine.generation.scheduler import Scheduler
from docparser_runtime.engine.generation.stopping import Stop, TokenStops
from docparser_runtime.engine.gpu.jobs import Ended, Event, Failed, Job, Written
from docparser_runtime.engine.gpu.loop import Loop, LoopStopped
from docparser_runtime.engine.gpu.sequence import Sequence

pytestmark = pytest.mark.thorough  # torch takes seconds to import

FIRST, NEXT = 7, 8
BLOCKS = 12


@dataclass
class Double:
    """Writes FIRST and then NEXT for everybody; ends or fails as it is told to."""

    most_pages: int = 100
    ends_after: int = 1_000_000
    fault: Exception | None = None
    encoded: list[int] = field(default_factory=list)
    known: set[int] = field(default_factory=set)
    written: dict[int, int] = field(default_factory=dict)
    gate: threading.Event = field(default_factory=threading.Event)

    def add(self, sequence: Sequence) -> None:
        self.known.add(sequence.id)

    def remove(self, request_id: int) -> None:
        self.known.remove(request_id)

    def encode(self, step: VisionStep) -> None:
        self.gate.wait(10)
        if len(step.pages) > self.most_pages:
            raise torch.OutOfMemoryError
        self.encoded += [request_id for request_id, _ in step.pages]

    def prefill(self, step: PrefillStep, tables: Mapping[int, Many[int]]) -> dict[int, list[int]]:
        return {run.id: [FIRST] for run in step.chunks if run.is_last and tables[run.id]}

    def decode(self, step: DecodeStep) -> dict[int, list[int]]:
        if self.fault is not None:
            raise self.fault
        out = {}
        for request_id in step.ids:
            before = self.written.get(request_id, 0)
            self.written[request_id] = before + step.tokens
            tokens = [NEXT] * step.tokens
            if self.written[request_id] >= self.ends_after:
                tokens[self.ends_after - before - 1 :] = [END, 3]
            out[request_id] = tokens
        return out


def job(number: int, most: int = 10, prompt: int = 20) -> Job:
    request = Request(number, "", (0,), prompt, most)
    sequence = Sequence(number, Prompt((), ()), [], None)
    return Job(request, sequence, TokenStops({END}, most))


@contextmanager
def running(worker: Double, scheduler: Scheduler) -> Iterator[Loop]:
    loop = Loop(scheduler, worker)
    loop.start()
    yield loop
    loop.close()


def scheduler() -> Scheduler:
    return Scheduler(Limits(sequences=4), BLOCKS)


def events(one: Job) -> list[Event]:
    """Return all that becomes of a job."""
    heard: list[Event] = []
    while not heard or isinstance(heard[-1], Written):
        heard.append(one.events.get(timeout=10))
    return heard


def tokens(heard: list[Event]) -> list[int]:
    return [token for event in heard if isinstance(event, Written) for token in event.tokens]


def submitted(loop: Loop, worker: Double, *jobs: Job) -> list[list[Event]]:
    for one in jobs:
        loop.submit(one)
    worker.gate.set()
    return [events(one) for one in jobs]


def test_texts_end_at_their_length_or_their_end() -> None:
    worker = Double(ends_after=30)
    with running(worker, scheduler()) as loop:
        short, long = submitted(loop, worker, job(1, most=10), job(2, most=100))
    assert tokens(short) == [FIRST] + [NEXT] * 9
    assert short[-1] == Ended(Stop.LENGTH)
    assert tokens(long) == [FIRST] + [NEXT] * 29
    assert long[-1] == Ended(Stop.END)
    assert worker.known == set()


def test_what_can_never_run_fails_at_once() -> None:
    worker = Double()
    with running(worker, scheduler()) as loop:
        ((failed,),) = submitted(loop, worker, job(1, most=BLOCKS * 32))
    assert isinstance(failed, Failed)
    assert "blocks" in failed.message


def test_without_memory_for_all_pages_each_is_encoded_alone() -> None:
    worker = Double(most_pages=1)
    with running(worker, scheduler()) as loop:
        heard = submitted(loop, worker, job(1), job(2), job(3))
    assert [one[-1] for one in heard] == [Ended(Stop.LENGTH)] * 3
    assert sorted(worker.encoded) == [1, 2, 3]


def test_a_page_that_never_fits_fails_and_its_blocks_are_free() -> None:
    worker, plan = Double(most_pages=0), scheduler()
    with running(worker, plan) as loop:
        ((failed,),) = submitted(loop, worker, job(1))
        worker.most_pages = 1
        (after,) = submitted(loop, worker, job(2))
    assert isinstance(failed, Failed)
    assert after[-1] == Ended(Stop.LENGTH)
    assert (plan.free_blocks, plan.is_idle, worker.known) == (BLOCKS, True, set())


def test_what_nobody_wants_is_left_off_and_its_blocks_are_free() -> None:
    worker, plan = Double(), scheduler()
    with running(worker, plan) as loop:
        unwanted = job(1, most=300)
        loop.submit(unwanted)
        loop.cancel(1)
        worker.gate.set()
        (after,) = submitted(loop, worker, job(2, most=300))
    assert after[-1] == Ended(Stop.LENGTH)
    assert tokens(after) == [FIRST] + [NEXT] * 299
    assert worker.written.get(1, 0) < 299
    assert (plan.free_blocks, worker.known) == (BLOCKS, set())


def test_nobody_waits_for_a_loop_that_has_ended() -> None:
    worker = Double()
    with running(worker, scheduler()) as loop:
        one = job(1)
        loop.submit(one)
        worker.gate.set()
    assert isinstance(events(one)[-1], (Ended, Failed))
    with pytest.raises(LoopStopped):
        loop.submit(job(2))


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_fault_of_the_device_ends_all() -> None:
    worker = Double(fault=RuntimeError("CUDA error: an illegal memory access"))
    with running(worker, scheduler()) as loop:
        heard = submitted(loop, worker, job(1), job(2))
        assert [one[-1] for one in heard] == [Failed("the engine has stopped")] * 2
        with pytest.raises(LoopStopped):
            loop.submit(job(3))

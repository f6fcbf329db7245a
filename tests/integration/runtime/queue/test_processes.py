"""What holds when processes and the database are killed, paused and started again."""

import asyncio
import signal
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import TypeVar

import pytest
from docparser_runtime.queue.sql import SqlQueue
from docparser_runtime.queue.values import Job, State
from docparser_runtime.task_errors import QueueUnavailable
from support.eventually import eventually
from support.postgres import PostgresServer
from support.queue_processes import Entry, Program, entries, programs
from support.queue_programs import Options
from support.queues import QueueBench, a_job, told

T = TypeVar("T")

LEASE_SECONDS = 1.0
PAGES = 8
PATIENCE_SECONDS = 60.0
"""The processes must first come up, on a machine that may be busy."""


@pytest.fixture
def started() -> Iterator[list[Program]]:
    with programs() as all_of_them:
        yield all_of_them


@pytest.fixture
def record(tmp_path: Path) -> Path:
    return tmp_path / "record"


@pytest.fixture
async def queue(bench: QueueBench) -> AsyncIterator[SqlQueue]:
    async with bench.opened(lease_seconds=LEASE_SECONDS) as opened:
        yield opened


def a_worker(bench: QueueBench, record: Path, page_ms: float = 20) -> Program:
    return Program("work", bench.address, record, Options(LEASE_SECONDS, page_ms=page_ms))


async def until(
    queue: SqlQueue, job_id: str, state: State, seconds: float = PATIENCE_SECONDS
) -> Job:
    """Return the job once it is in that state."""
    heard = None
    async with asyncio.timeout(seconds):
        while True:
            job = await told(queue, job_id)
            if job.state is state:
                return job
            heard = await queue.wait_for_change(0.25, heard)


async def pause(queue: SqlQueue, program: Program) -> None:
    """Pause a program, but not while it holds the lock of a SQLite file: that stops everybody."""
    while True:
        program.signal(signal.SIGSTOP)
        try:
            await queue.reap()
        except QueueUnavailable:
            program.signal(signal.SIGCONT)
        else:
            return


async def soon(look: Callable[[], T], holds: Callable[[T], object]) -> None:
    """Return once `holds` is true of what `look` finds."""
    await asyncio.to_thread(eventually, look, holds, PATIENCE_SECONDS)


def pages_of(found: list[Entry], what: str) -> Counter[int]:
    return Counter(entry.page for entry in found if entry.what == what)


async def test_another_worker_goes_on_after_a_kill(
    bench: QueueBench, queue: SqlQueue, started: list[Program], record: Path
) -> None:
    workers = [a_worker(bench, record, page_ms=50) for _ in range(2)]
    started.extend(workers)
    for worker in workers:
        await asyncio.to_thread(worker.wait_open)
    job = await queue.submit(a_job(pages=PAGES))
    look = lambda: pages_of(entries(record), "saved")  # noqa: E731
    await soon(look, lambda saved: len(saved) > 2)
    next(worker for worker in workers if worker.told("claim")).kill()
    killed_at = time.monotonic()
    done = await until(queue, job.id, State.DONE)
    _, taken_over = [entry for entry in entries(record) if entry.what == "claim"]
    print(f"taken over {taken_over.time_ns / 1e9 - killed_at:.2f} s after the kill")
    assert taken_over.time_ns / 1e9 - killed_at < 2 * LEASE_SECONDS
    assert (done.pages_done, done.crashes) == (PAGES, 0)
    read = pages_of(entries(record), "page")
    assert set(read) == set(range(PAGES))
    # The page in hand is read again, no other.
    assert sum(read.values()) <= PAGES + 1


async def test_a_job_outlives_its_only_worker(
    bench: QueueBench, queue: SqlQueue, started: list[Program], record: Path
) -> None:
    first = a_worker(bench, record)
    started.append(first)
    job = await queue.submit(a_job(pages=PAGES))
    await soon(lambda: first.told("saved"), bool)
    first.kill()
    started.append(a_worker(bench, record))
    await until(queue, job.id, State.DONE)
    assert sum(pages_of(entries(record), "page").values()) <= PAGES + 1


async def test_a_paused_worker_comes_too_late(
    bench: QueueBench, queue: SqlQueue, started: list[Program], record: Path
) -> None:
    paused = a_worker(bench, record, page_ms=100)
    started.append(paused)
    job = await queue.submit(a_job(pages=PAGES))
    await soon(lambda: paused.told("saved"), bool)
    await pause(queue, paused)
    started.append(a_worker(bench, record))
    done = await until(queue, job.id, State.DONE)
    paused.signal(signal.SIGCONT)
    await soon(lambda: paused.told("lost"), bool)
    assert paused.told("done") == []
    assert await told(queue, job.id) == done
    saved = await queue.pages(job.id)
    assert sorted(page.index for page in saved) == list(range(PAGES))


async def test_a_poisonous_job_dies_and_its_neighbour_lives(
    bench: QueueBench, queue: SqlQueue, started: list[Program], record: Path
) -> None:
    poison = await queue.submit(a_job(payload={"version": 1, "poison": True}))
    innocent = await queue.submit(a_job(pages=2))
    # So slow that the poison takes effect while its neighbour is at work.
    async with asyncio.timeout(PATIENCE_SECONDS):
        while (await told(queue, poison.id)).state is not State.DEAD:
            if not started or started[-1].ended():
                started.append(a_worker(bench, record, page_ms=300))
            await queue.wait_for_change(0.1)
    dead = await told(queue, poison.id)
    assert dead.failure is not None
    assert (dead.failure.code, dead.crashes) == ("poison", 3)
    if started[-1].ended():
        started.append(a_worker(bench, record))
    await until(queue, innocent.id, State.DONE)


async def test_what_was_acknowledged_outlives_a_killed_submitter(
    bench: QueueBench, queue: SqlQueue, started: list[Program], record: Path
) -> None:
    submitter = Program("submit", bench.address, record, Options(jobs=100_000))
    started.append(submitter)
    await soon(lambda: submitter.told("ack"), lambda acks: len(acks) > 20)
    submitter.kill()
    acknowledged = {entry.job for entry in submitter.told("ack")}
    tried = {entry.job for entry in submitter.told("try")}
    there = {job.id for job in await queue.list("ann", None, 100_000)}
    assert acknowledged <= there <= tried


async def test_no_job_counts_a_crash_for_a_database_that_was_away(
    postgres: PostgresServer, postgres_bench: QueueBench, started: list[Program], record: Path
) -> None:
    async with postgres_bench.opened(lease_seconds=LEASE_SECONDS) as queue:
        started.extend(a_worker(postgres_bench, record, page_ms=100) for _ in range(2))
        jobs = [await queue.submit(a_job(pages=PAGES)) for _ in range(3)]
        look = lambda: [e for e in entries(record) if e.what == "saved"]  # noqa: E731
        await soon(look, bool)
        postgres.stop()
        stopped_at = time.monotonic()
        with pytest.raises(QueueUnavailable):
            await queue.submit(a_job())
        # What is tried is an outage of three leases, so it must last so long.
        await asyncio.sleep(max(0.0, stopped_at + 3 * LEASE_SECONDS - time.monotonic()))
        await asyncio.to_thread(postgres.start)
        for job in jobs:
            await until_answered(queue, job.id)
        found = entries(record)
        assert [entry for entry in found if entry.what in {"lost", "stopped"}] == []
        claims = Counter(entry.job for entry in found if entry.what == "claim")
        assert claims == dict.fromkeys((job.id for job in jobs), 1)


async def until_answered(queue: SqlQueue, job_id: str) -> None:
    """Return once the job is done; the database may still be away."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while True:
            try:
                await until(queue, job_id, State.DONE)
            except QueueUnavailable:
                await asyncio.sleep(0.1)
            else:
                return

"""A process that is paused in the middle of a transaction holds up others, for a while only."""

import asyncio
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from docparser_runtime.task_errors import QueueUnavailable
from support.eventually import eventually
from support.queue_processes import Program, programs
from support.queue_programs import Options
from support.queues import QueueBench, a_job, claimed

PATIENCE_SECONDS = 60.0


@asynccontextmanager
async def paused(bench: QueueBench, record: Path) -> AsyncIterator[Program]:
    """Yield a process that is paused inside a transaction."""
    with programs() as started:
        program = Program("pause", bench.address, record, Options())
        started.append(program)
        await told(program, "paused")
        yield program


async def told(program: Program, what: str) -> None:
    look = lambda: program.told(what)  # noqa: E731
    await asyncio.to_thread(eventually, look, bool, PATIENCE_SECONDS, what)


async def test_postgresql_takes_its_locks_away(postgres_bench: QueueBench, tmp_path: Path) -> None:
    async with (
        postgres_bench.opened() as queue,
        paused(postgres_bench, tmp_path / "record") as program,
    ):
        await queue.submit(a_job(id="held-up"))
        assert program.told("committed") == []
        program.signal(signal.SIGCONT)
        await told(program, "committed")
        # Its transaction was gone when it woke up; it was told so, and tried again.
        assert len(program.told("unavailable")) == 1


async def test_a_file_is_unavailable_meanwhile(sqlite_bench: QueueBench, tmp_path: Path) -> None:
    async with (
        sqlite_bench.opened() as queue,
        paused(sqlite_bench, tmp_path / "record") as program,
    ):
        with pytest.raises(QueueUnavailable) as refused:
            await queue.submit(a_job(id="held-up"))
        assert (refused.value.status, refused.value.headers) == (503, {"Retry-After": "5"})
        assert await queue.backlog() == []
        program.signal(signal.SIGCONT)
        await told(program, "committed")
        await queue.submit(a_job(id="held-up"))
        assert (await claimed(queue)).job.id == "held-up"

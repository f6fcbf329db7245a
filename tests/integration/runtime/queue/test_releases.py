"""Several processes, and two releases, start on one PostgreSQL at the same time."""

import asyncio
from pathlib import Path

import pytest
from docparser_runtime.queue.failures import QueueSchemaTooNew
from docparser_runtime.queue.migrating import migrate
from docparser_runtime.queue.sql import SqlQueue
from support.queue_releases import NewerRelease
from support.queues import RULES, QueueBench, a_job, claimed, page, told


async def test_many_processes_make_the_tables_at_once(postgres_bench: QueueBench) -> None:
    opening = (SqlQueue.open(postgres_bench.address, RULES) for _ in range(6))
    queues = await asyncio.gather(*opening)
    try:
        job = await queues[0].submit(a_job())
        assert [await told(queue, job.id) for queue in queues] == [job] * 6
    finally:
        await asyncio.gather(*(queue.close() for queue in queues))


async def test_an_old_worker_goes_on_while_a_newer_release_changes_the_tables(
    postgres_bench: QueueBench, tmp_path: Path
) -> None:
    newer = NewerRelease(tmp_path)
    async with postgres_bench.opened() as old, postgres_bench.opened() as new:
        for _ in range(2):
            # The second time with what the first one has left in the caches.
            await old.submit(a_job())
            claim = await claimed(old)
            await old.save_pages(claim, [page(0)])
            await new._database.write(lambda connection: migrate(connection, newer.scripts))
            await old.save_pages(claim, [page(1)])
            await old.finish(claim, {})
            assert (await told(old, claim.job.id)).pages_done == 2
        async with postgres_bench.opened() as another:
            job = await another.submit(a_job())
            assert await told(old, job.id) == job


async def test_tables_that_lack_what_is_needed_are_refused(
    postgres_bench: QueueBench, tmp_path: Path
) -> None:
    newer = NewerRelease(tmp_path)
    newer.take_something_away()
    async with postgres_bench.opened() as old:
        await old._database.write(lambda connection: migrate(connection, newer.scripts))
    with pytest.raises(QueueSchemaTooNew, match="9999"):
        await SqlQueue.open(postgres_bench.address, RULES)

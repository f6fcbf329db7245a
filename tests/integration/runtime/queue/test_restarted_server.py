"""Connections that wait for use outlive a restart of the database: they are replaced."""

import asyncio

from support.postgres import PostgresServer
from support.queues import TRACK, QueueBench, a_job


async def test_the_first_calls_after_a_restart_succeed(
    postgres: PostgresServer, postgres_bench: QueueBench
) -> None:
    async with postgres_bench.opened() as queue:
        job = await queue.submit(a_job())
        assert await queue.get(job.id, job.tenant)
        await asyncio.to_thread(postgres.restart)
        assert await queue.get(job.id, job.tenant)
        assert await queue.claim({TRACK}, alone=True)

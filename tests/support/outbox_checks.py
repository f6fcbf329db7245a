"""What the outbox of a queue promises, as checks that run on both databases."""

import asyncio

from docparser_runtime.callbacks.base import Due
from docparser_runtime.queue.schema import CALLBACKS
from docparser_runtime.queue.sql import SqlQueue
from docparser_runtime.queue.values import Failure, Job, State
from sqlalchemy import func, select, update
from support.queue_checks import Check
from support.queues import QueueBench, a_job, claimed, crash, pass_time, told

URL = "https://receiver.test/"
LEASE = 30.0


async def a_job_with_callback(queue: SqlQueue) -> Job:
    job = await queue.submit(a_job())
    await queue.outbox.add(job.id, URL)
    return job


async def due(queue: SqlQueue) -> list[Due]:
    return list(await queue.outbox.due(10, LEASE))


async def the_only(queue: SqlQueue) -> Due:
    (found,) = await due(queue)
    return found


async def wait(queue: SqlQueue, seconds: float) -> None:
    """Let time pass for callbacks."""
    earlier = update(CALLBACKS).values(next_at=CALLBACKS.c.next_at - seconds)
    await queue._database.write(lambda connection: connection.execute(earlier))


async def rows(queue: SqlQueue) -> int:
    count = select(func.count()).select_from(CALLBACKS)
    return await queue._database.read(lambda connection: connection.execute(count).scalar_one())


async def nothing_is_told_before_the_end(bench: QueueBench) -> None:
    async with bench.opened() as queue:
        await a_job_with_callback(queue)
        assert await due(queue) == []
        claim = await claimed(queue)
        assert await due(queue) == []
        await queue.release(claim)
        assert await due(queue) == []


async def each_way_to_end_is_told(bench: QueueBench) -> None:
    async with bench.opened(max_crashes=1) as queue:
        done = await a_job_with_callback(queue)
        await queue.finish(await claimed(queue), {})
        failed = await a_job_with_callback(queue)
        await queue.fail(await claimed(queue), Failure("document_corrupt", "any"))
        dead = await a_job_with_callback(queue)
        await claimed(queue)
        await crash(queue)
        cancelled = await a_job_with_callback(queue)
        await queue.cancel(cancelled.id, "ann")
        stopped = await a_job_with_callback(queue)
        claim = await claimed(queue)
        await queue.cancel(stopped.id, "ann")
        await queue.release(claim)
        found = {one.job_id: (one.state, one.failure_code) for one in await due(queue)}
    assert found == {
        done.id: (State.DONE, None),
        failed.id: (State.FAILED, "document_corrupt"),
        dead.id: (State.DEAD, "poison"),
        cancelled.id: (State.CANCELLED, None),
        stopped.id: (State.CANCELLED, None),
    }


async def what_is_due_tells_of_the_job(bench: QueueBench) -> None:
    async with bench.opened() as queue:
        job = await a_job_with_callback(queue)
        await queue.outbox.add(job.id, URL)
        await queue.finish(await claimed(queue), {})
        await pass_time(queue, 100)
        found = await the_only(queue)
        assert found.finished_at == (await told(queue, job.id)).finished_at
        assert 100 <= found.elapsed_seconds < 160
        assert (found.url, found.attempts) == (URL, 1)


async def a_callback_is_added_after_the_end_too(bench: QueueBench) -> None:
    async with bench.opened() as queue:
        job = await queue.submit(a_job())
        await queue.finish(await claimed(queue), {})
        await queue.outbox.add(job.id, URL)
        assert (await the_only(queue)).job_id == job.id


async def who_is_given_a_callback_has_it_alone_for_a_while(bench: QueueBench) -> None:
    async with bench.opened() as queue, bench.opened() as other:
        for _ in range(6):
            await a_job_with_callback(queue)
            await queue.finish(await claimed(queue), {})
        shares = await asyncio.gather(*(one.outbox.due(2, LEASE) for one in (queue, other) * 3))
        given = [one.job_id for share in shares for one in share]
        assert len(given) == len(set(given))
        given += [one.job_id for one in await due(queue)]
        assert len(given) == len(set(given)) == 6
        await wait(queue, LEASE)
        assert {one.attempts for one in await due(other)} == {2}


async def a_delivered_one_is_never_due_again(bench: QueueBench) -> None:
    async with bench.opened() as queue:
        await a_job_with_callback(queue)
        await queue.finish(await claimed(queue), {})
        await queue.outbox.delivered(await the_only(queue))
        await wait(queue, 10 * LEASE)
        assert await due(queue) == []


async def a_failed_one_is_due_after_its_pause(bench: QueueBench) -> None:
    async with bench.opened() as queue:
        await a_job_with_callback(queue)
        await queue.finish(await claimed(queue), {})
        first = await the_only(queue)
        await queue.outbox.failed(first, 1000)
        await wait(queue, 900)
        assert await due(queue) == []
        await wait(queue, 100)
        second = await the_only(queue)
        assert (second.attempts, second.delivery_id) == (2, first.delivery_id)
        await queue.outbox.failed(second, None)
        await wait(queue, 10_000)
        assert await due(queue) == []


async def who_is_too_late_has_nothing_to_say(bench: QueueBench) -> None:
    async with bench.opened() as queue:
        await a_job_with_callback(queue)
        await queue.finish(await claimed(queue), {})
        late = await the_only(queue)
        await wait(queue, LEASE)
        current = await the_only(queue)
        await queue.outbox.delivered(late)
        await queue.outbox.failed(late, None)
        await queue.outbox.failed(late, 10_000)
        await queue.outbox.failed(current, 1)
        await wait(queue, 1)
        assert (await the_only(queue)).attempts == 3


async def a_second_end_is_told_as_another_delivery(bench: QueueBench) -> None:
    async with bench.opened() as queue:
        job = await a_job_with_callback(queue)
        await queue.fail(await claimed(queue), Failure("engine_failed", "any"))
        first = await the_only(queue)
        await queue.outbox.delivered(first)
        await pass_time(queue, 5)
        await queue.requeue(job.id)
        assert await due(queue) == []
        await queue.finish(await claimed(queue), {})
        second = await the_only(queue)
        assert (second.state, second.attempts) == (State.DONE, 1)
        assert second.delivery_id != first.delivery_id
        await queue.outbox.delivered(second)
        await queue.rerun(job.id)
        await queue.finish(await claimed(queue), {})
        assert (await the_only(queue)).state is State.DONE


async def callbacks_outlive_the_process_and_go_with_their_job(bench: QueueBench) -> None:
    async with bench.opened() as queue:
        await a_job_with_callback(queue)
        await queue.finish(await claimed(queue), {})
        await the_only(queue)
    async with bench.opened() as queue:
        await wait(queue, LEASE)
        await the_only(queue)
        await pass_time(queue, 4000)
        await queue.expire(10)
        assert await rows(queue) == 0
        await queue.outbox.add("job-that-never-was", URL)
        assert await rows(queue) == 0


CHECKS: list[Check] = [
    nothing_is_told_before_the_end,
    each_way_to_end_is_told,
    what_is_due_tells_of_the_job,
    a_callback_is_added_after_the_end_too,
    who_is_given_a_callback_has_it_alone_for_a_while,
    a_delivered_one_is_never_due_again,
    a_failed_one_is_due_after_its_pause,
    who_is_too_late_has_nothing_to_say,
    a_second_end_is_told_as_another_delivery,
    callbacks_outlive_the_process_and_go_with_their_job,
]

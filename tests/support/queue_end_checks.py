"""What any queue promises of crashes, expiry and second attempts, on both databases."""

import asyncio

import pytest
from docparser_runtime.queue.base import LostClaim
from docparser_runtime.queue.sql import SqlQueue
from docparser_runtime.queue.values import Failure, State
from support.queue_checks import Check
from support.queues import (
    TRACK,
    QueueBench,
    a_job,
    claimed,
    crash,
    page,
    pass_time,
    told,
)


async def a_cancelled_job_of_a_silent_worker_is_cancelled(bench: QueueBench) -> None:
    async with bench.opened() as queue:
        job = await queue.submit(a_job())
        await claimed(queue)
        await queue.cancel(job.id, "ann")
        await crash(queue)
        cancelled = await told(queue, job.id)
        assert (cancelled.state, cancelled.failure) == (State.CANCELLED, None)
        assert cancelled.expires_at is not None


async def a_job_given_back_is_queued_with_no_crash(bench: QueueBench) -> None:
    async with bench.opened() as queue:
        job = await queue.submit(a_job())
        claim = await claimed(queue)
        await queue.save_pages(claim, [page(0)])
        await queue.release(claim)
        again = await told(queue, job.id)
        assert (again.state, again.crashes, again.pages_done) == (State.QUEUED, 0, 1)
        with pytest.raises(LostClaim):
            await queue.release(claim)


async def a_poisonous_job_is_dead_and_its_neighbour_is_not(bench: QueueBench) -> None:
    async with bench.opened() as queue:
        poison, innocent = [(await queue.submit(a_job())).id for _ in range(2)]
        for _ in range(2):
            # One worker has both and dies of one of them.
            assert not (await claimed(queue)).is_exclusive
            await claimed(queue, alone=False)
            assert await crash(queue) == 2
        assert await queue.claim({TRACK}, alone=False) is None
        assert await queue.alone_wait_seconds(TRACK) > 0
        assert (await claimed(queue)).is_exclusive
        await crash(queue)
        claim = await claimed(queue)
        assert claim.job.id == innocent
        await queue.finish(claim, {})
        dead = await told(queue, poison)
        assert (dead.state, dead.crashes) == (State.DEAD, 3)
        assert dead.failure is not None
        assert dead.failure.code == "poison"
        assert (await told(queue, innocent)).state is State.DONE
        assert await queue.alone_wait_seconds(TRACK) == 0


async def with_two_crashes_allowed_the_second_is_alone(bench: QueueBench) -> None:
    async with bench.opened(max_crashes=2) as queue:
        job = await queue.submit(a_job())
        await claimed(queue, alone=False)
        await crash(queue)
        assert await queue.claim({TRACK}, alone=False) is None
        await claimed(queue, alone=True)
        await crash(queue)
        assert (await told(queue, job.id)).state is State.DEAD


async def progress_forgives_crashes(bench: QueueBench) -> None:
    async with bench.opened() as queue:
        job = await queue.submit(a_job(pages=9))
        for n in range(5):
            claim = await claimed(queue)
            await queue.save_pages(claim, [page(n)])
            await crash(queue)
            assert (await told(queue, job.id)).crashes == 1


async def a_page_that_was_known_is_no_progress(bench: QueueBench) -> None:
    async with bench.opened() as queue:
        job = await queue.submit(a_job(pages=2))
        for _ in range(3):
            await queue.save_pages(await claimed(queue), [page(0)])
            await crash(queue)
        assert (await told(queue, job.id)).crashes == 3


async def a_dead_job_is_queued_again_by_hand(bench: QueueBench) -> None:
    async with bench.opened(max_crashes=1) as queue:
        job = await queue.submit(a_job())
        assert await queue.requeue(job.id) is None
        claim = await claimed(queue)
        await queue.save_pages(claim, [page(0)])
        await crash(queue)
        assert (await told(queue, job.id)).state is State.DEAD
        again = await queue.requeue(job.id)
        assert again is not None
        assert (again.state, again.crashes, again.failure) == (State.QUEUED, 0, None)
        assert (again.pages_done, again.expires_at) == (1, None)
        assert (await claimed(queue, alone=False)).saved == {0}


async def a_worker_has_all_pages_read_again(bench: QueueBench) -> None:
    async with bench.opened() as queue:
        job = await queue.submit(a_job())
        claim = await claimed(queue)
        await queue.save_pages(claim, [page(0), page(1)])
        await queue.forget_pages(claim)
        assert (await told(queue, job.id)).pages_done == 0
        await queue.save_pages(claim, [page(1)])
        assert [(saved.index, saved.order) for saved in await queue.pages(job.id)] == [(1, 0)]
        await queue.release(claim)
        with pytest.raises(LostClaim):
            await queue.forget_pages(claim)


async def a_cancelled_job_never_ends_otherwise(bench: QueueBench) -> None:
    async with bench.opened() as queue:
        for _ in range(2):
            await queue.submit(a_job())
        finished, failed = await claimed(queue), await claimed(queue)
        for claim in (finished, failed):
            await queue.cancel(claim.job.id, "ann")
        for _ in range(2):  # the second time for who did not hear the answer
            assert await queue.finish(finished, {"n": 1}, [page(0)]) is State.CANCELLED
            assert await queue.fail(failed, Failure("c", "d")) is State.CANCELLED
        for claim in (finished, failed):
            job = await told(queue, claim.job.id)
            assert (job.state, job.result, job.failure) == (State.CANCELLED, None, None)
            assert job.expires_at is not None


async def a_job_runs_again_without_its_pages(bench: QueueBench) -> None:
    async with bench.opened() as queue:
        job = await queue.submit(a_job())
        await queue.finish(await claimed(queue), {"n": 1}, [page(0)])
        for _ in range(2):
            again = await queue.rerun(job.id)
            assert again is not None
            assert (again.state, again.result, again.pages_done) == (State.QUEUED, None, 0)
        claim = await claimed(queue)
        assert claim.saved == frozenset()
        await queue.finish(claim, {"n": 2}, [page(0)])
        assert [saved.order for saved in await queue.pages(job.id)] == [0]
        assert await queue.rerun("unknown") is None


async def an_ended_job_expires_and_is_remembered(bench: QueueBench) -> None:
    async with bench.opened() as queue:
        job = await queue.submit(a_job(idempotency_key="k"))
        waiting = await queue.submit(a_job())
        await queue.finish(await claimed(queue), {}, [page(0)])
        assert await queue.expire(10) == []
        await pass_time(queue, 3601)
        assert not await queue.is_expired(job.id, "ann")
        assert await queue.expire(10) == [job.id]
        assert await queue.get(job.id, "ann") is None
        assert await queue.pages(job.id) == []
        assert await queue.is_expired(job.id, "ann")
        assert not await queue.is_expired(job.id, "bob")
        assert not await queue.is_expired("unknown", "ann")
        assert (await told(queue, waiting.id)).state is State.QUEUED
        assert (await queue.submit(a_job(idempotency_key="k"))).state is State.QUEUED
        await pass_time(queue, 31 * 86_400)
        await queue.expire(10)
        assert not await queue.is_expired(job.id, "ann")


async def expiry_goes_in_parts(bench: QueueBench) -> None:
    async with bench.opened() as queue:
        for _ in range(5):
            await queue.cancel((await queue.submit(a_job())).id, "ann")
        await pass_time(queue, 3601)
        assert [len(await queue.expire(2)) for _ in range(4)] == [2, 2, 1, 0]


async def who_waits_is_woken_by_a_change(bench: QueueBench) -> None:
    async with bench.opened() as queue:
        await asyncio.wait_for(_woken_by_each_step(queue, queue), 10)


async def who_waits_elsewhere_is_woken_by_a_change(bench: QueueBench) -> None:
    async with bench.opened() as queue, bench.opened() as other:
        await asyncio.wait_for(_woken_by_each_step(queue, other), 10)


async def _woken_by_each_step(queue: SqlQueue, other: SqlQueue) -> None:
    heard = await other.wait_for_work(0)
    await queue.submit(a_job())
    await other.wait_for_work(60, heard)
    claim = await claimed(queue)
    for step in (queue.save_pages(claim, [page(0)]), queue.fail(claim, Failure("c", "d"))):
        waiting = asyncio.create_task(other.wait_for_change(60))
        await asyncio.sleep(0)
        await step
        await waiting


async def who_waits_is_not_held_longer_than_it_asked(bench: QueueBench) -> None:
    async with bench.opened() as queue:
        heard = await queue.wait_for_change(0)
        assert await queue.wait_for_change(0.001, heard) == heard
        await queue.submit(a_job())
        assert await queue.wait_for_change(60, heard) > heard


ELSEWHERE: list[Check] = [who_waits_elsewhere_is_woken_by_a_change]
"""Slow on SQLite, where the file must be looked at again and again."""
ENDING: list[Check] = [
    check
    for check in list(globals().values())
    if asyncio.iscoroutinefunction(check)
    and check.__module__ == __name__
    and check not in ELSEWHERE
    and not check.__name__.startswith("_")
]

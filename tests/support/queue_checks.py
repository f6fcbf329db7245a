"""What any queue promises to those who submit jobs, as checks that run on both databases."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from docparser_runtime.queue.values import Backlog, Priority, State
from docparser_runtime.task_errors import IdempotencyKeyReused, TaskQueueFull, TenantLimit
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

Check = Callable[[QueueBench], Awaitable[None]]


async def a_submitted_job_is_told_as_it_was_given(bench: QueueBench) -> None:
    new = a_job(pages=3, priority=Priority.HIGH)
    async with bench.opened() as queue:
        job = await queue.submit(new)
        assert await told(queue, new.id) == job
    assert (job.id, job.tenant, job.track, job.pages) == (new.id, "ann", TRACK, 3)
    assert (job.priority, job.payload) == (Priority.HIGH, new.payload)
    assert (job.state, job.pages_done, job.crashes) == (State.QUEUED, 0, 0)
    assert (job.result, job.failure) == (None, None)
    assert (job.started_at, job.finished_at, job.expires_at) == (None, None, None)


async def a_job_outlives_the_process_that_took_it(bench: QueueBench) -> None:
    async with bench.opened() as queue:
        job = await queue.submit(a_job())
    async with bench.opened() as queue:
        assert await told(queue, job.id) == job


async def another_tenant_sees_nothing_of_a_job(bench: QueueBench) -> None:
    async with bench.opened() as queue:
        job = await queue.submit(a_job())
        assert await queue.get(job.id, "bob") is None
        assert await queue.cancel(job.id, "bob") is None
        assert await queue.list("bob", None, 10) == []
        assert (await told(queue, job.id)).state is State.QUEUED


async def the_same_key_and_body_give_one_job(bench: QueueBench) -> None:
    async with bench.opened(max_queued_pages=2) as queue:
        first = await queue.submit(a_job(idempotency_key="k"))
        again = await queue.submit(a_job(idempotency_key="k"))
        assert again == first
        # Where there is no room for another one, there is for the same one.
        await queue.submit(a_job())
        assert await queue.submit(a_job(idempotency_key="k")) == first


async def a_key_counts_for_its_tenant_only(bench: QueueBench) -> None:
    async with bench.opened() as queue:
        first = await queue.submit(a_job(idempotency_key="k"))
        second = await queue.submit(a_job(idempotency_key="k", tenant="bob"))
        assert first.id != second.id


async def a_key_with_another_body_is_refused(bench: QueueBench) -> None:
    async with bench.opened() as queue:
        await queue.submit(a_job(idempotency_key="k"))
        with pytest.raises(IdempotencyKeyReused):
            await queue.submit(a_job(idempotency_key="k", body_sha256="other"))


async def a_key_used_a_hundred_times_at_once_gives_one_job(bench: QueueBench) -> None:
    async with bench.opened() as one, bench.opened() as other:
        jobs = await asyncio.gather(
            *((one, other)[n % 2].submit(a_job(idempotency_key="k")) for n in range(100))
        )
        assert len({job.id for job in jobs}) == 1
        assert len(await one.list("ann", None, 10)) == 1


async def a_call_that_is_repeated_gives_the_same_job(bench: QueueBench) -> None:
    new = a_job()
    async with bench.opened() as queue:
        first = await queue.submit(new)
        assert await queue.submit(new) == first
        claim = await claimed(queue)
        assert (await queue.submit(new)).state is State.RUNNING
        await queue.finish(claim, {})
        assert (await queue.submit(new)).state is State.DONE
        assert await queue.claim({TRACK}, alone=True) is None


async def an_id_of_somebody_else_is_refused(bench: QueueBench) -> None:
    new = a_job()
    async with bench.opened() as queue:
        await queue.submit(new)
        with pytest.raises(IdempotencyKeyReused):
            await queue.submit(a_job(id=new.id, tenant="bob"))


async def pages_beyond_the_capacity_are_refused(bench: QueueBench) -> None:
    async with bench.opened(max_queued_pages=10) as queue:
        await queue.submit(a_job(pages=7))
        await queue.check_room("ann", 3)
        for attempt in (queue.submit(a_job(pages=4)), queue.check_room("ann", 4)):
            with pytest.raises(TaskQueueFull):
                await attempt
        await queue.submit(a_job(pages=3))


async def running_pages_count_and_ended_ones_do_not(bench: QueueBench) -> None:
    async with bench.opened(max_queued_pages=1) as queue:
        await queue.submit(a_job())
        claim = await claimed(queue)
        with pytest.raises(TaskQueueFull):
            await queue.submit(a_job())
        await queue.finish(claim, {})
        await queue.submit(a_job())


async def a_tenant_has_a_limit_of_its_own(bench: QueueBench) -> None:
    async with bench.opened(max_queued_pages_per_tenant=2) as queue:
        await queue.submit(a_job(pages=2))
        for attempt in (queue.submit(a_job()), queue.check_room("ann")):
            with pytest.raises(TenantLimit):
                await attempt
        await queue.submit(a_job(tenant="bob", pages=2))


async def twenty_submitters_at_once_keep_to_the_capacity(bench: QueueBench) -> None:
    async with bench.opened(max_queued_pages=12) as one, bench.opened(max_queued_pages=12) as two:
        outcomes = await asyncio.gather(
            *((one, two)[n % 2].submit(a_job(pages=3)) for n in range(20)), return_exceptions=True
        )
        refused = [outcome for outcome in outcomes if isinstance(outcome, TaskQueueFull)]
        assert len(refused) == 16
        assert len(await one.list("ann", None, 50)) == 4


async def jobs_ahead_are_those_that_will_be_claimed_before(bench: QueueBench) -> None:
    async with bench.opened() as queue:
        first = await queue.submit(a_job())
        low = await queue.submit(a_job(priority=Priority.LOW))
        high = await queue.submit(a_job(priority=Priority.HIGH))
        await queue.submit(a_job(priority=Priority.HIGH, track="canary"))
        assert [await queue.ahead(job.id) for job in (high, first, low)] == [0, 1, 2]
        await claimed(queue)
        assert [await queue.ahead(job.id) for job in (high, first, low)] == [0, 0, 1]


async def a_list_goes_from_new_to_old_in_parts(bench: QueueBench) -> None:
    async with bench.opened() as queue:
        jobs = [await queue.submit(a_job()) for _ in range(5)]
        newest = await queue.list("ann", None, 2)
        rest = await queue.list("ann", newest[-1].id, 10)
        assert [*newest, *rest] == jobs[::-1]
        assert await queue.list("ann", "unknown", 10) == []


async def a_list_goes_on_after_a_job_that_expired(bench: QueueBench) -> None:
    async with bench.opened() as queue:
        old, gone = [await queue.submit(a_job()) for _ in range(2)]
        await queue.cancel(gone.id, "ann")
        await pass_time(queue, 4000)
        assert await queue.expire(10) == [gone.id]
        assert [job.id for job in await queue.list("ann", gone.id, 10)] == [old.id]


async def a_queued_job_is_cancelled_at_once(bench: QueueBench) -> None:
    async with bench.opened() as queue:
        job = await queue.submit(a_job())
        cancelled = await queue.cancel(job.id, "ann")
        assert cancelled is not None
        assert cancelled.state is State.CANCELLED
        assert cancelled.finished_at is not None
        assert await queue.claim({TRACK}, alone=True) is None
        assert await queue.cancel(job.id, "ann") == cancelled


async def the_backlog_tells_of_each_track(bench: QueueBench) -> None:
    async with bench.opened() as queue:
        assert await queue.backlog() == []
        for track, pages in ((TRACK, 2), (TRACK, 5), ("canary", 1)):
            await queue.submit(a_job(track=track, pages=pages))
        await claimed(queue)
        await pass_time(queue, 5)
        canary, stable = await queue.backlog()
        assert 5 <= canary.oldest_seconds < 30
        assert canary == Backlog("canary", 1, 1, 0, 0, canary.oldest_seconds)
        assert stable == Backlog(TRACK, 1, 5, 1, 2, stable.oldest_seconds)


async def changes_are_the_versions_that_differ(bench: QueueBench) -> None:
    async with bench.opened() as queue:
        one, other = [(await queue.submit(a_job())).id for _ in range(2)]
        seen = {one: 0, other: 0, "unknown": -1}
        assert await queue.changes(seen) == {}
        claim = await claimed(queue)
        await queue.save_pages(claim, [page(0)])
        assert list(await queue.changes(seen)) == [one]
        seen |= await queue.changes(seen)
        await queue.pulse([claim.owner])
        assert await queue.changes(seen) == {}
        assert await queue.changes({"unknown": 3}) == {"unknown": -1}


async def versions_never_fall(bench: QueueBench) -> None:
    async with bench.opened() as queue:
        job = await queue.submit(a_job())
        versions = [-1]
        for step in (queue.claim({TRACK}, alone=True), crash(queue), queue.cancel(job.id, "ann")):
            await step
            versions += (await queue.changes({job.id: -2})).values()
        assert versions == sorted(set(versions))


SUBMITTING: list[Check] = [
    check
    for check in list(globals().values())
    if asyncio.iscoroutinefunction(check) and check.__module__ == __name__
]

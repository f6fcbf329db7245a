"""What any queue promises to workers, as checks that run on both databases."""

import asyncio

import pytest
from docparser_runtime.queue.base import LostClaim
from docparser_runtime.queue.values import Failure, Priority, Pulse, SavedPage, State
from support.queue_checks import Check
from support.queues import (
    TRACK,
    QueueBench,
    a_job,
    claimed,
    crash,
    page,
    pass_time,
    pass_watched_time,
    told,
)


async def priorities_come_first_then_age(bench: QueueBench) -> None:
    async with bench.opened() as queue:
        low, first, high, second = [
            (await queue.submit(a_job(priority=priority))).id
            for priority in (Priority.LOW, Priority.NORMAL, Priority.HIGH, Priority.NORMAL)
        ]
        order = [(await claimed(queue)).job.id for _ in range(4)]
        assert order == [high, first, second, low]


async def a_worker_gets_jobs_of_its_tracks_only(bench: QueueBench) -> None:
    async with bench.opened() as queue:
        await queue.submit(a_job())
        canary = await queue.submit(a_job(track="canary", priority=Priority.LOW))
        assert await queue.claim({"other"}, alone=True) is None
        assert (await claimed(queue, track="canary")).job.id == canary.id
        claim = await queue.claim({"canary", "other", TRACK}, alone=True)
        assert claim is not None
        assert claim.job.track == TRACK


async def workers_at_once_never_get_the_same_job(bench: QueueBench) -> None:
    async with bench.opened() as one, bench.opened() as other:
        for _ in range(12):
            await one.submit(a_job())
        claims = await asyncio.gather(
            *((one, other)[n % 2].claim({TRACK}, alone=False) for n in range(16))
        )
        got = [claim for claim in claims if claim is not None]
        assert len({claim.job.id for claim in got}) == len({claim.owner for claim in got}) == 12


async def a_tenant_runs_no_more_than_its_limit(bench: QueueBench) -> None:
    async with (
        bench.opened(max_running_per_tenant=2) as one,
        bench.opened(max_running_per_tenant=2) as other,
    ):
        for _ in range(6):
            await one.submit(a_job())
        bob = await one.submit(a_job(tenant="bob", priority=Priority.LOW))
        claims = await asyncio.gather(
            *((one, other)[n % 2].claim({TRACK}, alone=False) for n in range(8))
        )
        got = [claim for claim in claims if claim is not None]
        assert sorted(claim.job.tenant for claim in got) == ["ann", "ann", "bob"]
        await one.finish(next(claim for claim in got if claim.job.tenant == "ann"), {})
        assert (await claimed(other)).job.tenant == "ann"
        assert (await told(one, bob.id, "bob")).state is State.RUNNING


async def pages_are_told_in_the_order_in_which_they_were_saved(bench: QueueBench) -> None:
    async with bench.opened() as queue:
        job = await queue.submit(a_job(pages=5))
        claim = await claimed(queue)
        await queue.save_pages(claim, [page(3), page(1)])
        await queue.save_pages(claim, [page(1), page(0), page(0)])
        saved = await queue.pages(job.id)
        assert saved == [SavedPage(*page(n), order) for order, n in enumerate((3, 1, 0))]
        assert await queue.pages(job.id, 2) == saved[2:]
        assert (await told(queue, job.id)).pages_done == 3


async def a_saved_page_stays_as_it_was(bench: QueueBench) -> None:
    async with bench.opened() as queue:
        job = await queue.submit(a_job())
        claim = await claimed(queue)
        await queue.save_pages(claim, [page(0)])
        await queue.save_pages(claim, [(0, "another", "digest")])
        assert await queue.pages(job.id) == [SavedPage(*page(0), 0)]


async def pages_saved_at_once_have_no_gap(bench: QueueBench) -> None:
    async with bench.opened() as queue:
        job = await queue.submit(a_job(pages=20))
        claim = await claimed(queue)
        await asyncio.gather(*(queue.save_pages(claim, [page(n), page(n + 1)]) for n in range(19)))
        saved = await queue.pages(job.id)
        assert [one.order for one in saved] == list(range(20))
        assert {one.index for one in saved} == set(range(20))


async def the_end_of_a_job_is_told(bench: QueueBench) -> None:
    async with bench.opened() as queue:
        job = await queue.submit(a_job(pages=2))
        claim = await claimed(queue)
        await queue.finish(claim, {"forms": ["ü"]}, [page(0), page(1)])
        done = await told(queue, job.id)
        assert (done.state, done.result, done.pages_done) == (State.DONE, {"forms": ["ü"]}, 2)
        assert done.started_at is not None
        assert done.finished_at is not None
        assert done.expires_at is not None
        assert (done.expires_at - done.finished_at).total_seconds() == pytest.approx(3600)


async def a_failure_is_told(bench: QueueBench) -> None:
    async with bench.opened() as queue:
        job = await queue.submit(a_job())
        await queue.fail(await claimed(queue), Failure("no_pages", "it has none"))
        failed = await told(queue, job.id)
        assert (failed.state, failed.failure) == (
            State.FAILED,
            Failure("no_pages", "it has none"),
        )


async def an_end_may_be_told_twice_by_the_same_worker(bench: QueueBench) -> None:
    async with bench.opened() as queue:
        job = await queue.submit(a_job())
        claim = await claimed(queue)
        for _ in range(2):
            await queue.finish(claim, {"n": 1}, [page(0)])
        with pytest.raises(LostClaim):
            await queue.fail(claim, Failure("c", "d"))
        assert (await told(queue, job.id)).result == {"n": 1}


async def a_worker_that_lost_its_claim_writes_nothing(bench: QueueBench) -> None:
    async with bench.opened() as queue:
        job = await queue.submit(a_job())
        old = await claimed(queue)
        assert await crash(queue) == 1
        new = await claimed(queue)
        for write in (
            queue.save_pages(old, [page(0)]),
            queue.finish(old, {"by": "old"}, [page(0)]),
            queue.fail(old, Failure("c", "d")),
            queue.release(old),
        ):
            with pytest.raises(LostClaim):
                await write
        assert await queue.pulse([old.owner, new.owner]) == Pulse(
            frozenset({old.owner}), frozenset()
        )
        assert await queue.pages(job.id) == []
        await queue.finish(new, {"by": "new"})
        assert (await told(queue, job.id)).result == {"by": "new"}


async def another_worker_goes_on_with_the_pages_that_are_missing(bench: QueueBench) -> None:
    async with bench.opened() as queue:
        await queue.submit(a_job(pages=3))
        await queue.save_pages(await claimed(queue), [page(2), page(0)])
        await crash(queue)
        claim = await claimed(queue)
        assert claim.saved == {0, 2}
        assert claim.job.crashes == 1


async def a_sign_of_life_keeps_the_claim(bench: QueueBench) -> None:
    async with bench.opened() as queue:
        job = await queue.submit(a_job())
        claim = await claimed(queue)
        for _ in range(4):
            await pass_watched_time(queue, 8)
            assert await queue.pulse([claim.owner]) == Pulse(frozenset(), frozenset())
            assert len(await queue.reap()) == 0
        await pass_watched_time(queue, 11)
        assert len(await queue.reap()) == 1
        assert (await told(queue, job.id)).state is State.QUEUED


async def saving_a_page_is_a_sign_of_life(bench: QueueBench) -> None:
    async with bench.opened() as queue:
        await queue.submit(a_job())
        claim = await claimed(queue)
        await pass_watched_time(queue, 11)
        await queue.save_pages(claim, [page(0)])
        assert len(await queue.reap()) == 0


async def after_an_outage_nobody_loses_a_job_before_a_healthy_lease(bench: QueueBench) -> None:
    async with bench.opened() as queue:
        job = await queue.submit(a_job())
        claim = await claimed(queue)
        await queue.reap()
        await pass_time(queue, 1000)
        assert len(await queue.reap()) == 0
        await pass_watched_time(queue, 9)
        assert len(await queue.reap()) == 0
        assert (await told(queue, job.id)).state is State.RUNNING
        await queue.pulse([claim.owner])
        await pass_watched_time(queue, 2)
        assert len(await queue.reap()) == 0
        await pass_watched_time(queue, 9)
        assert len(await queue.reap()) == 1


async def a_clock_that_jumps_takes_no_job_and_delays_none(bench: QueueBench) -> None:
    async with bench.opened() as queue:
        await queue.submit(a_job())
        claim = await claimed(queue)
        await queue.reap()
        for jump in (3600, -3600):
            await pass_time(queue, jump)
            assert len(await queue.reap()) == 0
            assert await queue.pulse([claim.owner]) == Pulse(frozenset(), frozenset())
        await pass_time(queue, -3600)
        assert len(await queue.reap()) == 0
        # The silent worker's last sign lies in the future now; nobody waits an hour for it.
        await pass_watched_time(queue, 11)
        assert len(await queue.reap()) == 1


async def a_short_pause_of_the_sweepers_delays_nobody(bench: QueueBench) -> None:
    async with bench.opened() as queue:
        await queue.submit(a_job())
        await claimed(queue)
        await pass_watched_time(queue, 9)
        await pass_time(queue, 4)
        assert len(await queue.reap()) == 1


async def a_cancelled_running_job_ends_when_its_worker_says_so(bench: QueueBench) -> None:
    async with bench.opened() as queue:
        job = await queue.submit(a_job())
        claim = await claimed(queue)
        asked = await queue.cancel(job.id, "ann")
        assert asked is not None
        assert asked.state is State.RUNNING
        assert await queue.pulse([claim.owner]) == Pulse(frozenset(), frozenset({claim.owner}))
        await queue.release(claim)
        assert (await told(queue, job.id)).state is State.CANCELLED


WORKING: list[Check] = [
    check
    for check in list(globals().values())
    if asyncio.iscoroutinefunction(check) and check.__module__ == __name__
]

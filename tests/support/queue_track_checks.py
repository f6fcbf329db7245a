"""What any queue promises of jobs whose track is gone, as checks that run on both databases."""

import asyncio

from support.queue_checks import Check
from support.queues import QueueBench, a_job, claimed, told


async def jobs_of_an_unknown_track_get_another_one(bench: QueueBench) -> None:
    async with bench.opened() as queue:
        jobs = [await queue.submit(a_job(track=track)) for track in ("gone", "a", "gone", "gone")]
        running = await claimed(queue, track="gone")
        assert running.job.id == jobs[0].id
        since = {job.id: -2 for job in jobs}
        before = await queue.changes(since)
        assert await queue.retrack({"a", "b"}, ["b", "a"]) == 2
        assert [(await told(queue, job.id)).track for job in jobs] == ["gone", "a", "b", "a"]
        assert set(await queue.changes(before)) == {jobs[2].id, jobs[3].id}, "they say so"
        assert await queue.retrack({"a", "b"}, ["b", "a"]) == 0, "who reads a job keeps it"
        await queue.release(running)
        assert await queue.retrack({"a", "b"}, ["b", "a"]) == 1
        claims = [await claimed(queue, track="b") for _ in range(2)]
        assert [claim.job.id for claim in claims] == [jobs[0].id, jobs[2].id]


async def no_more_jobs_are_moved_than_tracks_are_given(bench: QueueBench) -> None:
    async with bench.opened() as queue:
        jobs = [await queue.submit(a_job(track="gone")) for _ in range(3)]
        assert await queue.retrack({"a"}, ["a", "a"]) == 2
        assert [(await told(queue, job.id)).track for job in jobs] == ["a", "a", "gone"]


async def two_that_move_jobs_at_once_move_each_once(bench: QueueBench) -> None:
    async with bench.opened() as one, bench.opened() as other:
        for _ in range(20):
            await one.submit(a_job(track="gone"))
        moved = await asyncio.gather(
            *((one, other)[n % 2].retrack({"a"}, ["a"] * 20) for n in range(4))
        )
        assert sum(moved) == 20
        (backlog,) = await one.backlog()
        assert (backlog.track, backlog.queued_jobs) == ("a", 20)


TRACKING: list[Check] = [
    check
    for check in list(globals().values())
    if asyncio.iscoroutinefunction(check) and check.__module__ == __name__
]

"""Objects of jobs that nobody knows go away, and no others."""

from collections.abc import Collection
from pathlib import Path

import pytest
from docparser_runtime.storage.base import ObjectStore
from docparser_runtime.storage.sweeping import Sweeper
from support.fake_clock import FakeClock

GRACE = 3600.0


class Jobs:
    """The ids that a queue knows."""

    def __init__(self, *ids: str) -> None:
        self.ids = set(ids)
        self.largest_question = 0

    async def known(self, ids: Collection[str]) -> Collection[str]:
        self.largest_question = max(self.largest_question, len(ids))
        return self.ids & set(ids)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


async def left(store: ObjectStore) -> set[str]:
    return {prefix async for prefix in store.prefixes()}


async def test_orphans_go_after_the_grace_time(store: ObjectStore, clock: FakeClock) -> None:
    for job in ("known", "orphan", "other"):
        await store.put(f"{job}/upload/0", b"text")
        await store.put(f"{job}/page/0", b"text")
    sweeper = Sweeper(store, Jobs("known").known, GRACE, clock.monotonic)
    assert await sweeper.sweep() == 0
    clock.advance(GRACE - 1)
    assert await sweeper.sweep() == 0
    assert await left(store) == {"known", "orphan", "other"}
    clock.advance(1)
    assert await sweeper.sweep() == 2
    assert await left(store) == {"known"}
    assert await sweeper.sweep() == 0


async def test_an_upload_whose_job_comes_later_stays(store: ObjectStore, clock: FakeClock) -> None:
    jobs = Jobs()
    await store.put("late/upload/0", b"text")
    sweeper = Sweeper(store, jobs.known, GRACE, clock.monotonic)
    await sweeper.sweep()
    jobs.ids.add("late")
    clock.advance(2 * GRACE)
    assert await sweeper.sweep() == 0
    # The job ends and is forgotten: the grace time begins then.
    jobs.ids.clear()
    assert await sweeper.sweep() == 0
    clock.advance(GRACE)
    assert await sweeper.sweep() == 1


async def test_an_old_upload_that_is_seen_first_now_stays_for_the_grace_time(
    store: ObjectStore, clock: FakeClock
) -> None:
    await store.put("old/upload/0", b"text")
    clock.advance(10 * GRACE)
    assert await Sweeper(store, Jobs().known, GRACE, clock.monotonic).sweep() == 0
    assert await left(store) == {"old"}


async def test_the_queue_is_asked_in_bounded_questions(
    directory: ObjectStore, tmp_path: Path, clock: FakeClock
) -> None:
    for number in range(510):
        (tmp_path / "store" / f"job{number}").mkdir()
    jobs = Jobs()
    sweeper = Sweeper(directory, jobs.known, 0, clock.monotonic)
    assert await sweeper.sweep() == 510
    assert jobs.largest_question == 500
    assert await left(directory) == set()


async def test_a_queue_that_does_not_answer_costs_no_objects(
    store: ObjectStore, clock: FakeClock
) -> None:
    async def broken(_: Collection[str]) -> Collection[str]:
        raise ConnectionError

    await store.put("job/upload/0", b"text")
    with pytest.raises(ConnectionError):
        await Sweeper(store, broken, 0, clock.monotonic).sweep()
    assert await left(store) == {"job"}

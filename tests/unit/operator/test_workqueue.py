import asyncio

import pytest
from docparser_operator.workqueue import WorkQueue

pytestmark = pytest.mark.looptime


async def taken(queue: WorkQueue[str], seconds: float = 1000) -> str | None:
    """Return the next key, or None where none comes in time."""
    try:
        async with asyncio.timeout(seconds):
            return await queue.take()
    except TimeoutError:
        return None


def now() -> float:
    return asyncio.get_running_loop().time()


async def test_a_key_that_is_added_twice_comes_once() -> None:
    queue: WorkQueue[str] = WorkQueue()
    queue.add("a")
    queue.add("a")
    assert await taken(queue) == "a"
    queue.done("a")
    assert await taken(queue) is None


async def test_keys_come_in_the_order_they_were_added() -> None:
    queue: WorkQueue[str] = WorkQueue()
    for key in "bca":
        queue.add(key)
    assert [await taken(queue) for _ in range(3)] == ["b", "c", "a"]


async def test_a_preferred_key_comes_first_and_once() -> None:
    queue: WorkQueue[str] = WorkQueue()
    for key in "bca":
        queue.add(key)
    queue.prefer("a")
    assert [await taken(queue) for _ in range(3)] == ["a", "b", "c"]
    assert await taken(queue) is None


async def test_keys_wait_no_longer_than_three_preferred_ones() -> None:
    queue: WorkQueue[str] = WorkQueue()
    queue.add("waits")
    for key in "abcde":
        queue.prefer(key)
    assert [await taken(queue) for _ in range(6)] == ["a", "b", "c", "waits", "d", "e"]


async def test_a_key_that_is_preferred_while_it_is_worked_on_comes_first_afterwards() -> None:
    queue: WorkQueue[str] = WorkQueue()
    queue.add("a")
    await taken(queue)
    queue.add("b")
    queue.prefer("a")
    queue.done("a")
    assert [await taken(queue) for _ in range(2)] == ["a", "b"]


async def test_nothing_is_preferred_after_a_clearance() -> None:
    queue: WorkQueue[str] = WorkQueue()
    queue.prefer("a")
    queue.clear()
    queue.add("b")
    assert [await taken(queue) for _ in range(2)] == ["b", None]


async def test_a_key_that_is_worked_on_waits_for_the_end_of_that() -> None:
    queue: WorkQueue[str] = WorkQueue()
    queue.add("a")
    await taken(queue)
    queue.add("a")
    assert await taken(queue, 5) is None
    queue.done("a")
    assert await taken(queue) == "a"


async def test_a_key_comes_after_its_delay() -> None:
    queue: WorkQueue[str] = WorkQueue()
    start = now()
    queue.add_after("a", 30)
    assert await taken(queue) == "a"
    assert now() - start == pytest.approx(30)


async def test_of_two_delays_the_shorter_one_counts() -> None:
    queue: WorkQueue[str] = WorkQueue()
    start = now()
    queue.add_after("a", 30)
    queue.add_after("a", 10)
    queue.add_after("a", 20)
    assert await taken(queue) == "a"
    assert now() - start == pytest.approx(10)
    queue.done("a")
    assert await taken(queue) is None


async def test_an_event_ends_a_delay() -> None:
    queue: WorkQueue[str] = WorkQueue()
    start = now()
    queue.add_after("a", 300)
    queue.add("a")
    assert await taken(queue) == "a"
    assert now() - start == pytest.approx(0)
    queue.done("a")
    assert await taken(queue) is None


async def test_a_delay_that_ends_during_the_work_brings_the_key_again() -> None:
    queue: WorkQueue[str] = WorkQueue()
    queue.add("a")
    await taken(queue)
    queue.add_after("a", 5)
    await asyncio.sleep(10)
    queue.done("a")
    assert await taken(queue) == "a"


async def test_many_workers_share_the_keys() -> None:
    queue: WorkQueue[str] = WorkQueue()
    workers = [asyncio.create_task(taken(queue, 5)) for _ in range(3)]
    await asyncio.sleep(1)
    queue.add("a")
    queue.add("b")
    found = await asyncio.gather(*workers)
    assert sorted(key or "" for key in found) == ["", "a", "b"]


async def test_clearing_drops_keys_and_delays() -> None:
    queue: WorkQueue[str] = WorkQueue()
    queue.add("a")
    queue.add_after("b", 5)
    queue.clear()
    assert len(queue) == 0
    assert await taken(queue) is None

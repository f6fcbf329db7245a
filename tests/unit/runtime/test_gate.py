"""The gate on a clock of its own: a second passes at once."""

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest
from docparser_runtime.errors import QueueFull, QueueTimeout
from docparser_runtime.gate import Gate, Place

pytestmark = pytest.mark.looptime


def now() -> float:
    return asyncio.get_running_loop().time()


def a_gate(max_concurrency: int = 1, max_queue: int = 10, queue_timeout: float = 60) -> Gate:
    return Gate(max_concurrency, max_queue, queue_timeout, now)


async def started(coroutine: Coroutine[Any, Any, Place]) -> asyncio.Task[Place]:
    task = asyncio.create_task(coroutine)
    await asyncio.sleep(0)
    return task


async def test_places_are_given_until_none_is_left() -> None:
    gate = a_gate(max_concurrency=2)
    await gate.enter()
    await gate.enter()
    third = await started(gate.enter())
    assert (gate.running, gate.waiting, third.done()) == (2, 1, False)
    third.cancel()


async def test_the_queue_is_first_in_first_out() -> None:
    gate = a_gate()
    place = await gate.enter()
    order: list[int] = []

    async def wait(number: int) -> None:
        mine = await gate.enter()
        order.append(number)
        mine.release()

    async with asyncio.TaskGroup() as group:
        for number in range(5):
            group.create_task(wait(number))
        await asyncio.sleep(1)
        place.release()
    assert order == [0, 1, 2, 3, 4]
    assert (gate.running, gate.waiting) == (0, 0)


async def test_a_newcomer_does_not_overtake_the_queue() -> None:
    gate = a_gate()
    place = await gate.enter()
    first = await started(gate.enter())
    place.release()
    second = await started(gate.enter())
    assert (await first, second.done()) == (first.result(), False)
    second.cancel()


async def test_a_full_queue_refuses_at_once() -> None:
    gate = a_gate(max_queue=1)
    await gate.enter()
    waiting = await started(gate.enter())
    with pytest.raises(QueueFull):
        gate.refuse_if_full()
    with pytest.raises(QueueFull):
        await gate.enter()
    waiting.cancel()


async def test_without_a_queue_only_the_running_are_let_in() -> None:
    gate = a_gate(max_queue=0)
    gate.refuse_if_full()
    place = await gate.enter()
    with pytest.raises(QueueFull):
        await gate.enter()
    place.release()
    await gate.enter()


async def test_waiting_ends_at_the_timeout() -> None:
    gate = a_gate(queue_timeout=30)
    await gate.enter()
    with pytest.raises(QueueTimeout) as refusal:
        await gate.enter()
    assert now() == pytest.approx(30)
    assert int(refusal.value.headers["Retry-After"]) >= 1
    assert (gate.running, gate.waiting) == (1, 0)


async def test_a_place_that_comes_with_the_timeout_is_taken_or_passed_on() -> None:
    gate = a_gate(queue_timeout=30)
    place = await gate.enter()
    waiting = await started(gate.enter())
    asyncio.get_running_loop().call_later(30, place.release)
    outcome = (await asyncio.gather(waiting, return_exceptions=True))[0]
    assert gate.running == (1 if isinstance(outcome, Place) else 0)


@pytest.mark.parametrize("is_granted", [False, True])
async def test_a_cancelled_wait_keeps_no_place(is_granted: bool) -> None:  # noqa: FBT001
    gate = a_gate()
    place = await gate.enter()
    first, second = await started(gate.enter()), await started(gate.enter())
    if is_granted:
        place.release()  # the first is granted its turn but has not run yet
    first.cancel()
    await asyncio.wait({first})
    if not is_granted:
        assert gate.waiting == 1
        place.release()
    (await second).release()
    assert first.cancelled()
    assert (gate.running, gate.waiting) == (0, 0)


async def test_a_place_is_released_once() -> None:
    gate = a_gate(max_concurrency=2)
    first = await gate.enter()
    await gate.enter()
    first.release()
    first.release()
    assert gate.running == 1


async def test_retry_after_follows_the_measured_service_time() -> None:
    gate = a_gate(max_concurrency=2, max_queue=3)
    for _ in range(3):
        place = await gate.enter()
        await asyncio.sleep(10)
        place.release()
    for _ in range(2):
        await gate.enter()
    waiting = [await started(gate.enter()) for _ in range(3)]
    with pytest.raises(QueueFull) as refusal:
        gate.refuse_if_full()
    assert refusal.value.headers == {"Retry-After": "20"}  # four at ten seconds, two at a time
    for task in waiting:
        task.cancel()


async def test_retry_after_is_bounded() -> None:
    gate = a_gate()
    assert gate.retry_after() == {"Retry-After": "1"}
    place = await gate.enter()
    await asyncio.sleep(100_000)
    place.release()
    assert gate.retry_after() == {"Retry-After": "300"}

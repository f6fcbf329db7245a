import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from itertools import pairwise

import pytest
from docparser_operator.controller import (
    LONGEST_BACKOFF_SECONDS,
    NOT_LEADER_RETRY_SECONDS,
    Controller,
)
from docparser_operator.errors import ApiError, ConflictError, NotLeaderError, UnavailableError
from docparser_operator.kinds import Key
from docparser_operator.metrics import Metrics

pytestmark = pytest.mark.looptime
A, B = Key("default", "a"), Key("default", "b")
HOUR = 3600.0


@asynccontextmanager
async def running(
    reconcile: Callable[[Key], Awaitable[float | None]], workers: int = 4
) -> AsyncIterator[Controller]:
    controller = Controller(reconcile, Metrics(), workers)
    task = asyncio.create_task(controller.run())
    try:
        yield controller
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


class Passes:
    """Counts the passes over each key, and fails as told."""

    def __init__(self, error: Exception | None = None, again: float | None = None) -> None:
        self.times: list[tuple[float, Key]] = []
        self.error = error
        self.again = again

    async def __call__(self, key: Key) -> float | None:
        self.times.append((asyncio.get_running_loop().time(), key))
        if self.error is not None and key == A:
            raise self.error.with_traceback(None)
        return self.again

    def gaps(self) -> list[float]:
        times = [at for at, key in self.times if key == A]
        return [after - before for before, after in pairwise(times)]


async def test_a_success_is_looked_at_again_only_when_it_says_so() -> None:
    passes = Passes(again=30)
    async with running(passes) as controller:
        controller.queue.add(A)
        await asyncio.sleep(70)
    assert passes.gaps() == pytest.approx([30, 30])


@pytest.mark.parametrize(
    "error", [ApiError(403, "no"), UnavailableError("away"), RuntimeError("a fault of ours")]
)
async def test_a_failure_backs_off_to_at_most_twelve_tries_an_hour(error: Exception) -> None:
    passes = Passes(error)
    async with running(passes) as controller:
        controller.queue.add(A)
        await asyncio.sleep(2 * HOUR)
    gaps = passes.gaps()
    assert gaps[0] <= 1
    assert all(LONGEST_BACKOFF_SECONDS / 2 <= gap <= LONGEST_BACKOFF_SECONDS for gap in gaps[10:])


async def test_a_key_that_always_fails_does_not_hold_up_the_others() -> None:
    passes = Passes(RuntimeError("poison"))
    async with running(passes, workers=1) as controller:
        controller.queue.add(A)
        controller.queue.add(B)
        await asyncio.sleep(1)
    assert B in {key for _, key in passes.times}


async def test_a_conflict_is_tried_again_soon() -> None:
    passes = Passes(ConflictError(409, "newer"))
    async with running(passes) as controller:
        controller.queue.add(A)
        await asyncio.sleep(1)
    assert passes.gaps()[0] <= 0.2


async def test_a_success_ends_the_back_off() -> None:
    passes = Passes(UnavailableError("away"))
    async with running(passes) as controller:
        controller.queue.add(A)
        await asyncio.sleep(HOUR)
        passes.error = None
        await asyncio.sleep(HOUR)
        passes.error, before = UnavailableError("away"), len(passes.times)
        controller.queue.add(A)
        await asyncio.sleep(2)
    assert len(passes.times) - before >= 2


async def test_the_server_may_ask_for_a_longer_wait() -> None:
    passes = Passes(UnavailableError("busy", retry_after_seconds=120))
    async with running(passes) as controller:
        controller.queue.add(A)
        await asyncio.sleep(130)
    assert passes.gaps() == pytest.approx([120])


async def test_a_key_is_not_lost_while_the_lease_is_late() -> None:
    passes = Passes(NotLeaderError())
    async with running(passes) as controller:
        controller.queue.add(A)
        await asyncio.sleep(1.5)
        passes.error = None
        await asyncio.sleep(5)
    assert passes.gaps() == pytest.approx([NOT_LEADER_RETRY_SECONDS, NOT_LEADER_RETRY_SECONDS])


async def test_one_key_is_never_worked_on_twice_at_the_same_time() -> None:
    inside, most = 0, 0

    async def slow(_key: Key) -> None:
        nonlocal inside, most
        inside += 1
        most = max(most, inside)
        await asyncio.sleep(10)
        inside -= 1

    async with running(slow) as controller:
        for _ in range(20):
            controller.queue.add(A)
            await asyncio.sleep(1)
    assert most == 1


async def test_a_slow_key_does_not_hold_up_another() -> None:
    done: list[Key] = []

    async def reconcile(key: Key) -> None:
        await asyncio.sleep(300 if key == A else 0)
        done.append(key)

    async with running(reconcile, workers=2) as controller:
        controller.queue.add(A)
        controller.queue.add(B)
        await asyncio.sleep(1)
    assert done == [B]

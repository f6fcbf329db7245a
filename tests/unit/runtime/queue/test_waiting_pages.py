"""Who knows how many pages wait is told at once when there are more."""

import asyncio
from collections.abc import AsyncIterator, Sequence

import pytest
from docparser_runtime.queue.sql import SqlQueue
from docparser_runtime.queue.values import Backlog
from docparser_runtime.task_metrics import TaskMetrics
from docparser_runtime.tasks.waiting_pages import WaitingPages
from prometheus_client import CollectorRegistry
from support.queues import TRACK, QueueBench, a_job

SOON_SECONDS = 5.0


class Desk:
    """A queue, who asks for its pages, and what the metrics say of them."""

    def __init__(self, queue: SqlQueue) -> None:
        self.queue = queue
        self.registry = CollectorRegistry()
        self.is_leaving = False
        self.pages = WaitingPages(queue, TaskMetrics(self.registry), lambda: self.is_leaving)

    def asked(self, pages: int, wait_seconds: float = 60) -> asyncio.Task[int]:
        return asyncio.create_task(self.pages.above(pages, wait_seconds))

    def shown(self) -> float | None:
        labels = {"track": TRACK}
        return self.registry.get_sample_value("docparser_queue_queued_pages", labels)


@pytest.fixture
async def desk(bench: QueueBench) -> AsyncIterator[Desk]:
    async with bench.opened() as queue:
        yield Desk(queue)


async def within(asked: asyncio.Task[int], seconds: float = SOON_SECONDS) -> int:
    return await asyncio.wait_for(asked, seconds)


async def test_what_waits_already_is_told_at_once(desk: Desk) -> None:
    await desk.queue.submit(a_job(pages=7))
    assert await within(desk.asked(6)) == 7
    assert desk.shown() == 7


async def test_a_page_that_comes_while_one_waits_is_told_at_once(desk: Desk) -> None:
    asked = desk.asked(0)
    assert not (await asyncio.wait({asked}, timeout=0.1))[0]
    await desk.queue.submit(a_job(pages=2))
    assert await within(asked) == 2


async def test_what_is_known_already_is_no_news(desk: Desk) -> None:
    await desk.queue.submit(a_job(pages=7))
    asked = desk.asked(7)
    assert not (await asyncio.wait({asked}, timeout=0.1))[0]
    await desk.queue.submit(a_job(pages=1))
    assert await within(asked) == 8


async def test_all_who_ask_are_told(desk: Desk) -> None:
    asked = [desk.asked(pages) for pages in (0, 1, 2)]
    await asyncio.sleep(0)
    await desk.queue.submit(a_job(pages=3))
    assert await asyncio.gather(*map(within, asked)) == [3, 3, 3]


async def test_without_news_the_answer_comes_after_the_wait(desk: Desk) -> None:
    assert await within(desk.asked(0, wait_seconds=0.05)) == 0


async def test_who_leaves_keeps_nobody_waiting(desk: Desk) -> None:
    asked = desk.asked(0)
    await asyncio.sleep(0)
    desk.is_leaving = True
    assert await within(asked) == 0


class Watched:
    """A queue that counts how often its pages are counted."""

    def __init__(self, queue: SqlQueue) -> None:
        self.wait_for_work = queue.wait_for_work
        self._backlog = queue.backlog
        self.counts = 0

    async def backlog(self) -> Sequence[Backlog]:
        self.counts += 1
        return await self._backlog()


async def test_a_storm_of_tasks_is_no_storm_of_counts(desk: Desk) -> None:
    watched = Watched(desk.queue)
    pages = WaitingPages(watched, TaskMetrics(CollectorRegistry()), lambda: False)
    asked = asyncio.create_task(pages.above(39, 60))
    for _ in range(40):
        await desk.queue.submit(a_job())
    assert await within(asked) == 40
    assert watched.counts <= 4

"""Concurrency, time limits and cancelled work."""

import asyncio

import pytest
from docparser_runtime.errors import QueueFull, QueueTimeout, RequestTimeout
from docparser_runtime.schemas import Options
from docparser_runtime.uploads import Upload
from unit.runtime.doubles import StartService, a_document, eventually


def an_upload(pages: int = 1) -> Upload[Options]:
    return Upload((a_document(pages),), Options())


async def test_no_more_than_the_limit_run_and_the_rest_wait_their_turn(
    start: StartService,
) -> None:
    service = await start(max_concurrency=2, max_queue_length=3)
    service.engine.hold()
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(service.context.service.parse(an_upload())) for _ in range(5)]
        await eventually(lambda: service.engine.running == 2 and service.context.gate.waiting == 3)
        with pytest.raises(QueueFull):
            await service.context.service.parse(an_upload())
        service.engine.release()
    assert service.engine.most_running == 2
    assert all(len(task.result().pages) == 1 for task in tasks)
    assert (service.context.gate.running, service.context.gate.waiting) == (0, 0)


async def test_a_wait_that_is_too_long_ends(start: StartService) -> None:
    service = await start(max_concurrency=1, queue_timeout_seconds=1)
    service.engine.hold()
    running = asyncio.create_task(service.context.service.parse(an_upload()))
    await eventually(lambda: service.engine.running == 1)
    with pytest.raises(QueueTimeout):
        await service.context.service.parse(an_upload())
    service.engine.release()
    assert len((await running).pages) == 1


async def test_work_that_is_too_long_is_answered_but_keeps_its_place_until_it_ends(
    start: StartService,
) -> None:
    service = await start(max_concurrency=1, max_queue_length=0, request_timeout_seconds=1)
    service.engine.hold()
    with pytest.raises(RequestTimeout):
        await service.context.service.parse(an_upload(pages=5))
    assert service.engine.running == 1
    with pytest.raises(QueueFull):
        await service.context.service.parse(an_upload())
    service.engine.release()
    await eventually(lambda: service.context.gate.running == 0)
    assert service.reader.opened == service.reader.closed == 1
    assert await service.metric("docparser_pages_total") == 0
    assert len((await service.context.service.parse(an_upload())).pages) == 1


async def test_cancelled_work_ends_between_pages(start: StartService) -> None:
    service = await start(max_concurrency=1)
    service.engine.hold()
    task = asyncio.create_task(service.context.service.parse(an_upload(pages=50)))
    await eventually(lambda: service.engine.running == 1)
    task.cancel()
    await asyncio.wait({task}, timeout=1)
    assert task.cancelled()
    assert service.context.gate.running == 1
    service.engine.release()
    await eventually(lambda: service.context.gate.running == 0)
    assert service.reader.closed == 1


async def test_closing_waits_for_work_that_nobody_waits_for(start: StartService) -> None:
    service = await start(max_concurrency=1)
    service.engine.hold()
    task = asyncio.create_task(service.context.service.parse(an_upload(pages=50)))
    await eventually(lambda: service.engine.running == 1)
    task.cancel()
    await asyncio.wait({task})
    assert not await service.context.service.close(0.01)
    service.engine.release()
    assert await service.context.service.close(5)

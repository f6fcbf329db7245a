"""From the end of a task to its receiver, with all parts as they are."""

import asyncio
import io
import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
from docparser_runtime import logs
from docparser_runtime.callbacks.dispatching import Books, Dispatcher
from docparser_runtime.callbacks.schedule import Schedule
from docparser_runtime.callbacks.sending import CallbackSender
from docparser_runtime.outbound.requests import Outbound
from docparser_runtime.queue.sql import SqlQueue
from docparser_runtime.task_metrics import TaskMetrics
from prometheus_client import CollectorRegistry
from support.queues import QueueBench, a_job, claimed, told
from support.web_receiver import OK, Received, Receiver, answered
from unit.runtime.callbacks.test_signing import is_genuine
from unit.runtime.doubles import eventually
from unit.runtime.outbound.conftest import Names, outbound, receiver

__all__ = ["is_genuine", "outbound", "receiver"]

SECRET = b"0123456789abcdef"
QUICK = Schedule(first_pause_seconds=0.01, longest_pause_seconds=0.05, total_seconds=60)


@pytest.fixture
def names() -> Names:
    return Names({"receiver.test": [["127.0.0.1"]]})


@pytest.fixture
async def queue(tmp_path: Path) -> AsyncIterator[SqlQueue]:
    async with QueueBench(f"sqlite:///{tmp_path}/queue.db").opened() as opened:
        yield opened


async def test_a_receiver_that_is_down_hears_of_the_task_once_it_is_back(
    queue: SqlQueue, outbound: Outbound, receiver: Receiver, is_genuine: Callable[..., bool]
) -> None:
    answers = [b"", answered(500), answered(302, "Location: http://127.0.0.1:1/"), OK]

    def answer(_: Received) -> bytes:
        return answers[len(receiver.requests) - 1]

    receiver.answer = answer
    stream = io.StringIO()
    sender = CallbackSender(outbound, [SECRET])
    log = logs.create(stream, "info")
    attempts = TaskMetrics(CollectorRegistry()).callbacks
    dispatcher = Dispatcher(queue.outbox, sender, Books(log, attempts), QUICK, pause_seconds=0.01)
    job = await queue.submit(a_job())
    await queue.outbox.add(job.id, f"http://receiver.test:{receiver.port}/?token=canary")
    await queue.finish(await claimed(queue), {})
    running = asyncio.create_task(dispatcher.run())
    await eventually(lambda: "callback_delivered" in stream.getvalue())
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert len(receiver.requests) == 4
    for request in receiver.requests:
        assert is_genuine(request.headers, request.body, SECRET)
        assert json.loads(request.body)["task_id"] == job.id
    assert len({request.headers["x-docparser-delivery"] for request in receiver.requests}) == 1
    assert "canary" not in stream.getvalue()
    assert (await told(queue, job.id)).state == "done"
    assert await queue.outbox.due(10, 30) == ()

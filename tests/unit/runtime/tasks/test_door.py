"""How documents come in when queue or client leave at the worst moment."""

import asyncio
import io
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from docparser_api.runtime import OutboundConfig, TasksConfig
from docparser_api.split import Split
from docparser_runtime import logs
from docparser_runtime.engine.traits import Traits
from docparser_runtime.queue.sql import SqlQueue
from docparser_runtime.queue.values import Job, NewJob, State
from docparser_runtime.storage.access import Access
from docparser_runtime.storage.base import ObjectStore
from docparser_runtime.storage.opening import open_store
from docparser_runtime.task_errors import QueueUnavailable
from docparser_runtime.task_schemas import TaskOptions
from docparser_runtime.tasks import payload as payloads
from docparser_runtime.tasks.callbacks import OutboxCallbacks, outbound_of
from docparser_runtime.tasks.door import Submission, TaskDoor, Terms
from docparser_runtime.tasks.pace import Pace
from docparser_runtime.tasks.tracks import Tracks
from support.queues import RULES
from unit.runtime.doubles import Reader, a_document


class UnreliableQueue(SqlQueue):
    """A queue whose answers come late while `go` is not set, and are lost while `loses` is set."""

    loses = False

    async def submit(self, job: NewJob) -> Job:
        submitted = await super().submit(job)
        self.has_it.set()
        await self.go.wait()
        if self.loses:
            raise QueueUnavailable("The connection broke after the commit.")
        return submitted

    def be_in_time(self) -> None:
        self.has_it, self.go = asyncio.Event(), asyncio.Event()
        self.go.set()


@dataclass(frozen=True)
class House:
    door: TaskDoor
    queue: UnreliableQueue
    store: ObjectStore


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    log = logs.create(io.StringIO(), "info")
    store = await open_store(f"file://{tmp_path}/objects", Access(), TasksConfig(), log)
    queue = await UnreliableQueue.open(f"sqlite:///{tmp_path}/queue.db", RULES)
    queue.be_in_time()
    callbacks = OutboxCallbacks(queue.outbox, outbound_of(OutboundConfig()), ())
    tracks = Tracks(Split(tracks={"stable": 1}), 0.0, adopts=False)
    terms = Terms(tracks, Pace(queue, lambda: None), 10, Traits())
    yield House(TaskDoor(queue, store, Reader(), callbacks, terms), queue, store)
    await queue.close()
    await store.close()


def a_submission(key: str | None) -> Submission:
    return Submission("ann", (a_document(2),), TaskOptions(), key)


async def test_a_job_whose_acknowledgement_was_lost_keeps_its_document(house: House) -> None:
    house.queue.loses = True
    with pytest.raises(QueueUnavailable):
        await house.door.submit(a_submission("once"))
    house.queue.loses = False
    job = await house.door.submit(a_submission("once"))
    (document,) = payloads.loaded(job.payload).documents
    assert await house.store.get(document.ref, document.sha256) == a_document(2)
    assert [one async for one in house.store.prefixes()] == [job.id], "what came again is gone"


@pytest.mark.parametrize(("key", "state"), [(None, State.CANCELLED), ("once", State.QUEUED)])
async def test_who_leaves_leaves_no_work_that_nobody_can_ask_for(
    house: House, key: str | None, state: State
) -> None:
    house.queue.go.clear()
    submitting = asyncio.create_task(house.door.submit(a_submission(key)))
    await house.queue.has_it.wait()
    submitting.cancel()
    await asyncio.sleep(0)
    house.queue.go.set()
    with pytest.raises(asyncio.CancelledError):
        await submitting
    (job,) = await house.queue.list("ann", None, 10)
    assert job.state is state

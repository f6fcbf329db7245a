"""How documents come in when the queue fails at the worst moment."""

import io
from pathlib import Path

import pytest
from docparser_api.runtime import OutboundConfig, TasksConfig
from docparser_runtime import logs
from docparser_runtime.engine.traits import Traits
from docparser_runtime.queue.sql import SqlQueue
from docparser_runtime.queue.values import Job, NewJob
from docparser_runtime.storage.access import Access
from docparser_runtime.storage.opening import open_store
from docparser_runtime.task_errors import QueueUnavailable
from docparser_runtime.task_schemas import TaskOptions
from docparser_runtime.tasks import payload as payloads
from docparser_runtime.tasks.callbacks import OutboxCallbacks, outbound_of
from docparser_runtime.tasks.door import Submission, TaskDoor, Terms
from support.queues import RULES
from unit.runtime.doubles import Reader, a_document


class ForgetfulQueue(SqlQueue):
    """A queue whose answers are lost on their way while `loses` is set."""

    loses = True

    async def submit(self, job: NewJob) -> Job:
        submitted = await super().submit(job)
        if self.loses:
            raise QueueUnavailable("The connection broke after the commit.")
        return submitted


async def test_a_job_whose_acknowledgement_was_lost_keeps_its_document(tmp_path: Path) -> None:
    log = logs.create(io.StringIO(), "info")
    store = await open_store(f"file://{tmp_path}/objects", Access(), TasksConfig(), log)
    queue = await ForgetfulQueue.open(f"sqlite:///{tmp_path}/queue.db", RULES)
    callbacks = OutboxCallbacks(queue.outbox, outbound_of(OutboundConfig()), ())
    door = TaskDoor(queue, store, Reader(), callbacks, Terms("stable", 10, Traits()))
    submission = Submission("ann", (a_document(2),), TaskOptions(), "once")
    with pytest.raises(QueueUnavailable):
        await door.submit(submission)
    queue.loses = False
    job = await door.submit(submission)
    (document,) = payloads.loaded(job.payload).documents
    assert await store.get(document.ref, document.sha256) == a_document(2)
    assert [one async for one in store.prefixes()] == [job.id], "what came again is gone"
    await queue.close()
    await store.close()

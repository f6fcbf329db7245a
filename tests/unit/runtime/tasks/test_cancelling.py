"""Who was told that a task is cancelled never gets a result of it."""

import io
from pathlib import Path

import pytest
from docparser_api.names import PATH_TASKS
from docparser_runtime import logs
from docparser_runtime.queue.sql import SqlQueue
from docparser_runtime.queue.values import Job, State
from docparser_runtime.storage.directory import DirectoryStore
from docparser_runtime.storage.failures import Failures
from docparser_runtime.storage.room import Room
from docparser_runtime.task_errors import TaskEnded
from docparser_runtime.tasks.desk import TaskDesk
from docparser_runtime.tasks.watch import JobWatch
from support.queues import RULES, a_job, claimed, told
from unit.runtime.doubles import Service, eventually
from unit.runtime.tasks.conftest import ended, submit

JOB = "0" * 32


class EndsFirst(SqlQueue):
    """A queue whose worker is always a moment faster than who cancels."""

    async def cancel(self, job_id: str, tenant: str) -> Job | None:
        await self.finish(await claimed(self), {})
        return await super().cancel(job_id, tenant)


async def test_a_task_that_ended_a_moment_before_was_not_cancelled(tmp_path: Path) -> None:
    queue = await EndsFirst.open(f"sqlite:///{tmp_path}/queue.db", RULES)
    log = logs.create(io.StringIO(), "info")
    store = DirectoryStore(tmp_path, Room(tmp_path, None), Failures(log))
    desk = TaskDesk(queue, store, JobWatch(queue, log))
    await queue.submit(a_job(id=JOB))
    with pytest.raises(TaskEnded):
        await desk.cancel(JOB, "ann")
    assert (await told(queue, JOB)).state is State.DONE
    await queue.close()


async def test_a_page_that_is_read_before_the_worker_hears_does_not_make_a_result(
    keeper: Service,
) -> None:
    keeper.engine.hold()
    task = await submit(keeper)
    await eventually(lambda: keeper.engine.running == 1)
    answer = await keeper.client.delete(f"{PATH_TASKS}/{task['id']}")
    keeper.engine.release()
    assert answer.status_code == 200
    assert (await ended(keeper, task))["status"] == "cancelled"
    result = await keeper.client.get(f"{PATH_TASKS}/{task['id']}/result")
    assert (result.status_code, result.json()["code"]) == (409, "task_cancelled")

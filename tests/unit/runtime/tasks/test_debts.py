"""Jobs that cannot be given back at once."""

from pathlib import Path

import pytest
from docparser_runtime.queue.sql import SqlQueue
from docparser_runtime.queue.values import Claim, Failure, State
from docparser_runtime.task_errors import QueueUnavailable
from docparser_runtime.tasks.debts import Debts
from support.queues import RULES, a_job, claimed, crash, told


class AbsentQueue(SqlQueue):
    """A queue that does not hear of releases while `is_away` is set."""

    is_away = True

    async def release(self, claim: Claim) -> None:
        if self.is_away:
            raise QueueUnavailable("Nobody answers.")
        await super().release(claim)


async def test_what_is_owed_is_given_back_once_the_queue_answers(tmp_path: Path) -> None:
    queue = await AbsentQueue.open(f"sqlite:///{tmp_path}/queue.db", RULES)
    debts = Debts(queue)
    job, lost = await queue.submit(a_job()), await queue.submit(a_job())
    claims = await claimed(queue), await claimed(queue)
    for claim in claims:
        await debts.give_back(claim)
    assert list(debts.owners) == [claim.owner for claim in claims]
    with pytest.raises(QueueUnavailable):
        await debts.settle()
    assert len(debts.owners) == 2
    await queue.fail(claims[1], Failure("any", "any"))
    queue.is_away = False
    await debts.settle()
    assert list(debts.owners) == []
    given_back = await told(queue, job.id)
    assert (given_back.state, given_back.crashes) == (State.QUEUED, 0)
    assert (await told(queue, lost.id)).state is State.FAILED
    assert await crash(queue) == 0, "no lease is left to end"
    await queue.close()


async def test_what_can_be_given_back_is_not_owed(tmp_path: Path) -> None:
    queue = await AbsentQueue.open(f"sqlite:///{tmp_path}/queue.db", RULES)
    queue.is_away = False
    debts = Debts(queue)
    job = await queue.submit(a_job())
    await debts.give_back(await claimed(queue))
    assert debts.owners == ()
    assert (await told(queue, job.id)).state is State.QUEUED
    await queue.close()

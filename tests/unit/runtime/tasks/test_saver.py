"""Pages on their way to the store when the work on them is to end."""

import asyncio
import io
from collections.abc import Sequence
from pathlib import Path

import pytest
from docparser_api.runtime import TasksConfig
from docparser_runtime import logs
from docparser_runtime.queue.sql import SqlQueue
from docparser_runtime.queue.values import Claim
from docparser_runtime.schemas import PageBody
from docparser_runtime.storage.access import Access
from docparser_runtime.storage.opening import open_store
from docparser_runtime.tasks.saver import PageSaver
from support.queues import RULES, a_job, claimed, told


def a_page() -> PageBody:
    return PageBody(
        index=0, width=1, height=1, markdown="x", text="x", blocks=(), vision_tokens=0, seconds=0
    )


class SlowQueue(SqlQueue):
    """A queue that saves pages once it is let go on."""

    def hold(self) -> None:
        self.asked, self.go = asyncio.Event(), asyncio.Event()

    async def save_pages(self, claim: Claim, pages: Sequence[tuple[int, str, str]]) -> None:
        self.asked.set()
        await self.go.wait()
        await super().save_pages(claim, pages)


async def test_who_is_cancelled_leaves_when_what_was_read_is_safe(tmp_path: Path) -> None:
    log = logs.create(io.StringIO(), "info")
    store = await open_store(f"file://{tmp_path}/objects", Access(), TasksConfig(), log)
    queue = await SlowQueue.open(f"sqlite:///{tmp_path}/queue.db", RULES)
    queue.hold()
    job = await queue.submit(a_job())
    saver = PageSaver(await claimed(queue), queue, store)
    await saver.add(a_page())
    flushing = asyncio.create_task(saver.flush())
    await queue.asked.wait()
    flushing.cancel()
    done, _ = await asyncio.wait({flushing}, timeout=0.02)
    assert not done
    queue.go.set()
    with pytest.raises(asyncio.CancelledError):
        await flushing
    assert (await told(queue, job.id)).pages_done == 1
    await queue.close()
    await store.close()

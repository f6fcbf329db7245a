"""What tasks may take and how long they are kept, as clients are told."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from docparser_api.names import PATH_TASKS
from docparser_runtime.parsing import QueuedParsing
from docparser_runtime.queue.sql import SqlQueue
from docparser_runtime.task_errors import StorageFull
from support.queues import RULES, pass_time
from unit.runtime.doubles import PARSE, Service, StartService, a_document
from unit.runtime.security.doors import KEYS, entry, tokens_file
from unit.runtime.tasks.conftest import ended, submit

MEBIBYTE = 1024**2
PDF = {"content-type": "application/pdf"}


@pytest.fixture
async def small(start: StartService, tmp_path: Path) -> Service:
    """A service whose store takes a mebibyte."""
    return await start(directory=tmp_path, tasks={"max_store_bytes": MEBIBYTE})


async def in_pieces(content: bytes, read: list[int]) -> AsyncIterator[bytes]:
    """Yield the content, without a word of its length, and note what was asked for."""
    for begin in range(0, len(content), MEBIBYTE // 4):
        piece = content[begin : begin + MEBIBYTE // 4]
        read.append(len(piece))
        yield piece


async def test_a_full_store_is_told_before_the_body_is_read(small: Service) -> None:
    read: list[int] = []
    headers = PDF | {"content-length": f"{MEBIBYTE + 1}"}
    body = in_pieces(a_document(), read)
    answer = await small.client.post(PATH_TASKS, content=body, headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (507, "storage_full")
    assert read == []
    queued = QueuedParsing(small.context.tasks, small.context.config)
    with pytest.raises(StorageFull):
        await queued.check("ann", MEBIBYTE + 1)
    await queued.check("ann", MEBIBYTE // 2)


async def test_a_full_queue_is_told_before_the_body_is_read(
    start: StartService, tmp_path: Path
) -> None:
    service = await start(directory=tmp_path, tasks={"max_queued_pages": 2})
    service.engine.hold()
    await submit(service, a_document(2))
    read: list[int] = []
    body = in_pieces(a_document(), read)
    answer = await service.client.post(PATH_TASKS, content=body, headers=PDF)
    assert (answer.status_code, answer.json()["code"]) == (503, "queue_full")
    assert int(answer.headers["Retry-After"]) >= 1
    assert read == []
    assert len((await service.client.get(PATH_TASKS)).json()["tasks"]) == 1


async def test_what_finds_no_room_leaves_nothing(small: Service) -> None:
    body = in_pieces(a_document().ljust(MEBIBYTE + 1), [])
    answer = await small.client.post(PATH_TASKS, content=body, headers=PDF)
    assert (answer.status_code, answer.json()["code"]) == (507, "storage_full")
    assert (await small.client.get(PATH_TASKS)).json()["tasks"] == []
    assert small.directory is not None
    kept = [path for path in (small.directory / "objects").rglob("*") if path.is_file()]
    assert kept == []
    assert (await ended(small, await submit(small)))["status"] == "done"


async def test_long_documents_are_tasks(start: StartService, tmp_path: Path) -> None:
    service = await start(directory=tmp_path, max_pages=20)
    document = a_document(200)
    answer = await service.client.post(PARSE, content=document, headers=PDF)
    assert (answer.status_code, answer.json()["code"]) == (422, "too_many_pages")
    task = await ended(service, await submit(service, document))
    assert (task["status"], task["pages_done"]) == ("done", 200)


async def test_a_task_that_has_expired(start: StartService, tmp_path: Path) -> None:
    service = await start(
        directory=tmp_path, tokens=tokens_file(tmp_path, entry("one"), entry("two"))
    )
    one, two = ({"Authorization": f"Bearer {KEYS[name]}"} for name in ("one", "two"))
    task = await submit(service, headers=one)
    path = f"{PATH_TASKS}/{task['id']}"
    await service.client.get(path, params={"wait": 20}, headers=one)
    queue = await SqlQueue.open(f"sqlite:///{tmp_path}/queue.db", RULES)
    await pass_time(queue, service.context.config.tasks.retention_seconds + 1)
    assert await queue.expire(10) == [task["id"]]
    await queue.close()
    for method, rest in (("GET", ""), ("GET", "/result"), ("GET", "/events"), ("DELETE", "")):
        answer = await service.client.request(method, path + rest, headers=one)
        assert (answer.status_code, answer.json()["code"]) == (410, "task_expired")
        answer = await service.client.request(method, path + rest, headers=two)
        assert (answer.status_code, answer.json()["code"]) == (404, "task_not_found")

"""One process that keeps its tasks in a directory, as on a laptop."""

import asyncio
import contextlib
import signal
from pathlib import Path
from typing import Any

import httpx
from docparser_api.names import ENV_DATA, PATH_TASKS
from integration.runtime.processes import environment, serving
from integration.runtime.tasks.client import TaskClient, blank_pdf
from integration.runtime.tasks.conftest import Connect, slowly
from unit.runtime.doubles import eventually

POISONOUS = 'docparser_tasks_total{code="poison"}'


def embedded(directory: Path, **limits: Any) -> dict[str, str]:
    tasks = {"leaseSeconds": 2, **limits.pop("tasks", {})}
    return environment(**limits, tasks=tasks) | {ENV_DATA: str(directory)}


async def test_a_killed_process_goes_on_where_it_was(tmp_path: Path, connect: Connect) -> None:
    environ = embedded(tmp_path, **slowly(50, maxConcurrency=1))
    content = blank_pdf(80)
    async with serving(environ) as first:
        client = connect(first)
        task = await client.submit(content, key="once")
        async for event in client.events(task["id"]):
            if event.id == "10":
                break
        first.signal(signal.SIGKILL)
        await first.process.wait()
    async with serving(environ) as second:
        client = connect(second)
        again = await client.submit(content, key="once")
        assert again["id"] == task["id"]
        seen = [event async for event in client.events(task["id"], after=10)]
        assert [e.id for e in seen if e.name == "page"] == [str(n) for n in range(11, 81)]
        assert [e.name for e in seen if e.name in {"done", "error"}] == ["done"]
        assert seen[-1].name == "done"
        assert await second.metric("docparser_pages_total") <= 70
        result = (await client.result(task["id"])).json()
        assert [page["index"] for page in result["pages"]] == list(range(80))


async def test_what_is_accepted_survives_a_kill_right_afterwards(
    tmp_path: Path, connect: Connect
) -> None:
    environ = embedded(tmp_path)
    async with serving(environ) as first:
        task = await connect(first).submit(blank_pdf(2))
        first.signal(signal.SIGKILL)
        await first.process.wait()
    async with serving(environ) as second:
        assert (await connect(second).task(task["id"], wait=30))["status"] == "done"


async def test_a_request_that_takes_too_long_goes_on_as_a_task(
    tmp_path: Path, connect: Connect
) -> None:
    environ = embedded(tmp_path, **slowly(100, maxConcurrency=1, requestTimeoutSeconds=1))
    async with serving(environ) as program:
        client = connect(program)
        answer = await client.parse(blank_pdf(20))
        assert answer.status_code == 202, answer.text
        task = answer.json()
        assert answer.headers["Location"] == f"{PATH_TASKS}/{task['id']}"
        assert (await client.task(task["id"], wait=30))["status"] == "done"
        assert len((await client.result(task["id"])).json()["pages"]) == 20


async def test_cancelling(tmp_path: Path, connect: Connect) -> None:
    environ = embedded(tmp_path, **slowly(100, maxConcurrency=1))
    async with serving(environ) as program:
        client = connect(program)
        running = await client.submit(blank_pdf(90))
        waiting = await client.submit(blank_pdf(1))
        await eventually(lambda: _is(client, running["id"], "running"))
        assert (await client.task(waiting["id"]))["queue_position"] == 0
        assert (await client.cancel(waiting["id"])).json()["status"] == "cancelled"
        asked = asyncio.get_running_loop().time()
        assert (await client.cancel(running["id"])).status_code == 200
        await eventually(lambda: _is(client, running["id"], "cancelled"))
        seconds = asyncio.get_running_loop().time() - asked
        print(f"running work was cancelled after {seconds:.2f} s")
        assert seconds <= 5
        assert await program.metric("docparser_requests_running") == 0
        assert (await client.cancel(running["id"])).json()["code"] == "task_ended"
        assert (await client.result(running["id"])).json()["code"] == "task_cancelled"
        events = [event async for event in client.events(running["id"])]
        assert (events[-1].name, events[-1].data["code"]) == ("error", "task_cancelled")


async def test_a_poisonous_document_is_given_up(tmp_path: Path, connect: Connect) -> None:
    # The second page ends the process while the first is still being read: no life makes progress.
    fake = {"crashAfterPages": 1, "pageMilliseconds": 1000}
    environ = embedded(tmp_path, fake=fake, maxConcurrency=2, tasks={"leaseSeconds": 2})
    task: dict[str, Any] = {}
    lives = 0
    while task.get("status") != "failed":
        assert lives < 6, task
        lives += 1
        async with serving(environ) as program:
            client = connect(program)
            task = task or await client.submit(blank_pdf(4))
            with contextlib.suppress(httpx.TransportError):
                task = await client.task(task["id"], wait=20)
            async with asyncio.timeout(10):
                while task.get("status") == "failed" and not await program.metric(POISONOUS):
                    pass  # it is counted once the queue has said so
    assert lives == 4, "three crashes, and a life in which it is given up"
    assert task["error"]["code"] == "poison"
    assert task["pages_done"] == 0


async def test_a_damaged_result_is_made_again(tmp_path: Path, connect: Connect) -> None:
    environ = embedded(tmp_path)
    async with serving(environ) as program:
        client = connect(program)
        task = await client.submit(blank_pdf(3))
        await client.task(task["id"], wait=30)
        whole = (await client.result(task["id"])).content
        (stored,) = (tmp_path / "objects" / task["id"] / "results").glob("*.json")
        stored.write_bytes(whole[:-20])
        answer = await client.result(task["id"])
        assert (answer.status_code, answer.json()["code"]) == (503, "result_corrupt")
        assert int(answer.headers["Retry-After"]) > 0
        assert (await client.task(task["id"], wait=30))["status"] == "done"
        again = (await client.result(task["id"])).json()
        assert len(again["pages"]) == 3


async def _is(client: TaskClient, task_id: str, status: str) -> bool:
    return bool((await client.task(task_id))["status"] == status)

"""Gateways without an engine and workers without a door serve as one process does."""

import asyncio
import signal

from integration.runtime.processes import Program, environment, serving
from unit.runtime.doubles import eventually

from .client import TaskClient, blank_pdf
from .conftest import Cluster, Connect, slowly


async def test_a_gateway_answers_as_one_process_does(cluster: Cluster, connect: Connect) -> None:
    content = blank_pdf(3)
    async with (
        serving(cluster.environment(), role="gateway") as gateway,
        serving(cluster.environment(), role="gateway") as other,
        serving(cluster.environment(), role="worker"),
        serving(environment()) as alone,
    ):
        through, beside, directly = (connect(one) for one in (gateway, other, alone))
        expected = (await directly.parse(content)).json()
        found = (await through.parse(content)).json()
        assert [page["markdown"] for page in found["pages"]] == [
            page["markdown"] for page in expected["pages"]
        ]
        assert set(found) == set(expected)
        assert (found["content"], found["model"]) == (expected["content"], expected["model"])
        events = [event async for event in through.stream(content)]
        alone_events = [event async for event in directly.stream(content)]
        assert [e.name for e in events if e.name != "status"] == ["page"] * 3 + ["done"]
        assert [e.name for e in alone_events if e.name != "status"] == ["page"] * 3 + ["done"]
        task = await through.submit(content)
        done = await beside.task(task["id"], wait=20)
        assert done["status"] == "done"
        results = [await one.result(task["id"]) for one in (through, beside, through)]
        assert {result.status_code for result in results} == {200}
        assert len({result.content for result in results}) == 1
        assert results[0].json()["content"] == expected["content"]
        markdown = await beside.result(task["id"], "text/markdown")
        assert markdown.text == expected["content"]


async def test_a_killed_worker_is_replaced_and_finished_pages_stay(
    cluster: Cluster, connect: Connect
) -> None:
    limits = slowly(100, maxConcurrency=1)
    async with (
        serving(cluster.environment(), role="gateway") as gateway,
        serving(cluster.environment(**limits), role="worker") as one,
        serving(cluster.environment(**limits), role="worker") as two,
    ):
        client = connect(gateway)
        task = await client.submit(blank_pdf(60))
        await eventually(lambda: _has_pages(client, task["id"], 10))
        busy, idle = (two, one) if await _is_idle(one) else (one, two)
        busy.signal(signal.SIGKILL)
        await busy.process.wait()
        saved = (await client.task(task["id"]))["pages_done"]
        assert 10 <= saved < 60
        clock = asyncio.get_running_loop().time
        killed = clock()
        await eventually(lambda: _has_pages(client, task["id"], saved + 1))
        print(f"another worker went on after {clock() - killed:.1f} s; the lease is 2 s")
        assert (await client.task(task["id"], wait=30))["status"] == "done"
        result = (await client.result(task["id"])).json()
        assert [page["index"] for page in result["pages"]] == list(range(60))
        # Pages that were saved are not read again.
        assert await idle.metric("docparser_pages_total") == 60 - saved


async def test_a_worker_that_leaves_gives_its_job_back_at_once(
    cluster: Cluster, connect: Connect
) -> None:
    limits = slowly(100, maxConcurrency=1, tasks={"leaseSeconds": 60})
    async with (
        serving(cluster.environment(), role="gateway") as gateway,
        serving(cluster.environment(**limits), role="worker") as one,
        serving(cluster.environment(**limits), role="worker") as two,
    ):
        client = connect(gateway)
        task = await client.submit(blank_pdf(60))
        await eventually(lambda: _has_pages(client, task["id"], 5))
        busy, idle = (two, one) if await _is_idle(one) else (one, two)
        busy.signal(signal.SIGTERM)
        done = await client.task(task["id"], wait=30)
        assert done["status"] == "done", done
        assert 0 < await idle.metric("docparser_pages_total") <= 55
        assert await busy.exit_code() == 0


async def test_a_gateway_that_leaves_answers_what_it_has_accepted(
    cluster: Cluster, connect: Connect
) -> None:
    limits = slowly(200, maxConcurrency=1)
    async with (
        serving(cluster.environment(lameDuckSeconds=1), role="gateway") as gateway,
        serving(cluster.environment(**limits), role="worker") as worker,
    ):
        client = connect(gateway)
        waiting = asyncio.create_task(client.parse(blank_pdf(15)))
        await eventually(lambda: _is_busy(worker))
        gateway.signal(signal.SIGTERM)
        await eventually(lambda: bool(gateway.events("draining")))
        task = await client.submit(blank_pdf(1))
        answer = await waiting
        assert answer.status_code == 200, answer.text
        assert len(answer.json()["pages"]) == 15
        assert task["status"] == "queued"
        assert await gateway.exit_code() == 0


async def test_the_client_that_leaves_ends_the_work(cluster: Cluster, connect: Connect) -> None:
    limits = slowly(200, maxConcurrency=1, tasks={"leaseSeconds": 15})
    async with (
        serving(cluster.environment(), role="gateway") as gateway,
        serving(cluster.environment(**limits), role="worker") as worker,
    ):
        client = connect(gateway)
        events = client.stream(blank_pdf(90))
        async for event in events:
            if event.name == "page":
                break
        await events.aclose()
        left = asyncio.get_running_loop().time()
        await eventually(lambda: _is_idle(worker), 10)
        seconds = asyncio.get_running_loop().time() - left
        print(f"the work ended {seconds:.2f} s after its client had left")
        assert seconds <= 2.5
        tasks = (await client.http.get("/v1/document/tasks")).json()["tasks"]
        assert [task["status"] for task in tasks] == ["cancelled"]


async def _has_pages(client: TaskClient, task_id: str, count: int) -> bool:
    return int((await client.task(task_id))["pages_done"]) >= count


async def _is_busy(worker: Program) -> bool:
    return await worker.metric("docparser_requests_running") > 0


async def _is_idle(worker: Program) -> bool:
    return await worker.metric("docparser_requests_running") == 0

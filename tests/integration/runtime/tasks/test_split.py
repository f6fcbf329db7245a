"""Gateways split new tasks among the workers of several revisions, and none is left behind."""

import asyncio
import json
import os
from collections import Counter
from pathlib import Path

from docparser_api.names import ENV_SPLIT_FILE, ENV_TRACK
from integration.runtime.processes import Program, serving
from unit.runtime.doubles import eventually

from .client import TaskClient, blank_pdf
from .conftest import Cluster, Connect, slowly

TASKS = int(os.environ.get("SPLIT_TASKS", "200"))
SENDERS = 8


def split_in(file: Path, **weights: int) -> dict[str, str]:
    """Write the split, as the operator does; return the variable that names it."""
    new = file.with_suffix(".new")
    new.write_text(json.dumps({"tracks": weights}))
    new.rename(file)
    return {ENV_SPLIT_FILE: str(file)}


async def submit_all(clients: list[TaskClient], count: int) -> list[str]:
    """Submit so many documents of one page, some at a time; return the ids of the tasks."""
    content, left = blank_pdf(1), iter(range(count))

    async def send() -> list[str]:
        return [(await clients[n % len(clients)].submit(content))["id"] for n in left]

    return [
        task for sent in await asyncio.gather(*(send() for _ in range(SENDERS))) for task in sent
    ]


async def test_a_canary_gets_its_share_of_the_tasks(
    cluster: Cluster, connect: Connect, tmp_path: Path
) -> None:
    split = split_in(tmp_path / "split.json", canary=5, stable=95)
    async with (
        serving(cluster.environment() | split, role="gateway") as one,
        serving(cluster.environment() | split, role="gateway") as two,
        serving(cluster.environment() | {ENV_TRACK: "stable"}, role="worker") as stable,
        serving(cluster.environment() | {ENV_TRACK: "canary"}, role="worker") as canary,
    ):
        clients = [connect(one), connect(two)]
        tasks = await submit_all(clients, TASKS)
        ends = [await clients[0].task(task, wait=30) for task in tasks]
        assert Counter(task["status"] for task in ends) == {"done": TASKS}
        read = [await worker.metric("docparser_tasks_total{") for worker in (canary, stable)]
        print(f"{read[0]:.0f} of {TASKS} tasks were read by the canary of 5 %")
        assert sum(read) == TASKS
        assert abs(read[0] - TASKS * 0.05) <= 6, "3 of each gateway"


async def test_tasks_that_wait_for_an_aborted_revision_are_read_by_the_other(
    cluster: Cluster, connect: Connect, tmp_path: Path
) -> None:
    file = tmp_path / "split.json"
    split = split_in(file, bad=50, good=50)
    slow = cluster.environment(**slowly(200, maxConcurrency=1)) | {ENV_TRACK: "bad"}
    async with (
        serving(cluster.environment() | split, role="gateway") as gateway,
        serving(slow, role="worker") as bad,
    ):
        client = connect(gateway)
        tasks = await submit_all([client], 30)
        await eventually(lambda: _has_read(bad))
        split_in(file, good=100)
        await eventually(lambda: _weighs(gateway, "good", 100))
        bad.process.terminate()
        assert await bad.exit_code() == 0
        # Nobody reads the track yet: the tasks wait, as with a fleet of size 0.
        states = Counter([(await client.task(task))["status"] for task in tasks])
        assert set(states) == {"queued", "done"}
        async with serving(cluster.environment() | {ENV_TRACK: "good"}, role="worker") as good:
            ends = [await client.task(task, wait=30) for task in tasks]
            assert {task["status"] for task in ends} == {"done"}
            assert await good.metric("docparser_tasks_total{") == states["queued"]
        assert await gateway.metric("docparser_tasks_retracked_total") > 0


async def _has_read(worker: Program) -> bool:
    return await worker.metric("docparser_tasks_total{") >= 1


async def _weighs(gateway: Program, track: str, weight: int) -> bool:
    return await gateway.metric(f'docparser_split_weight{{track="{track}"}}') == weight

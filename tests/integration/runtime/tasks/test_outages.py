"""The database away, or the power gone: what is promised is kept, and nothing else promised."""

import asyncio
import re
import shutil
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest
from docparser_api.names import ENV_DATA, PATH_PARSE, PATH_TASKS
from integration.runtime.processes import environment, serving
from support.postgres import PostgresServer
from unit.runtime.doubles import eventually

from .client import TaskClient, blank_pdf
from .conftest import Cluster, Connect, slowly


async def test_nothing_is_accepted_while_the_database_is_away(
    cluster: Cluster, postgres: PostgresServer, connect: Connect
) -> None:
    limits = slowly(50, maxConcurrency=1)
    async with (
        serving(cluster.environment(), role="gateway") as gateway,
        serving(cluster.environment(**limits), role="worker"),
    ):
        client = connect(gateway)
        task = await client.submit(blank_pdf(30))
        await eventually(lambda: _is_running(client, task["id"]))
        postgres.stop()
        try:
            for method, path in (
                ("POST", PATH_TASKS),
                ("POST", PATH_PARSE),
                ("GET", f"{PATH_TASKS}/{task['id']}"),
            ):
                files = {"file": ("a.pdf", blank_pdf(1))} if method == "POST" else None
                answer = await client.http.request(method, path, files=files)
                assert (answer.status_code, answer.json()["code"]) == (503, "queue_unavailable")
                assert int(answer.headers["Retry-After"]) > 0
        finally:
            postgres.start()
        await eventually(lambda: _is_back(client))
        done = await client.task(task["id"], wait=60)
        assert (done["status"], done["pages_done"]) == ("done", 30)
        tasks = (await client.http.get(PATH_TASKS)).json()["tasks"]
        assert len(tasks) == 2, "that one, and the one that shows that all is well again"


async def _is_running(client: TaskClient, task_id: str) -> bool:
    return bool((await client.task(task_id))["status"] == "running")


async def _is_back(client: TaskClient) -> bool:
    answer = await client.http.post(PATH_TASKS, files={"file": ("a.pdf", blank_pdf(1))})
    return answer.status_code == httpx.codes.ACCEPTED


async def test_a_damaged_queue_ends_the_start(tmp_path: Path) -> None:
    (tmp_path / "queue.db").write_bytes(b"\xaa" * 20_000)
    async with serving(environment() | {ENV_DATA: str(tmp_path)}, until="stopped") as program:
        assert await program.exit_code() == 3
    assert "the file of the queue is damaged" in program.last_words[-1]
    assert (tmp_path / "queue.db").read_bytes() == b"\xaa" * 20_000, "it is left as it is"


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
async def test_what_is_accepted_is_on_disk_before_that_is_said(
    tmp_path: Path, connect: Connect
) -> None:
    trace = tmp_path / "trace"
    environ = environment() | {ENV_DATA: str(tmp_path / "data")}
    async with serving(environ) as program:
        client = connect(program)
        async with watched(program.process.pid, trace):
            task = await client.submit(blank_pdf(1))
    lines = trace.read_text().splitlines()
    said = next(n for n, line in enumerate(lines) if "HTTP/1.1 202" in line)
    on_disk = list(synced(lines[:said]))
    assert any(re.search(r"/objects/\.partial/", path) for path in on_disk), on_disk
    assert f"/objects/{task['id']}/upload" in "".join(on_disk)
    assert on_disk[-1].endswith("/queue.db-wal"), on_disk


@asynccontextmanager
async def watched(process_id: int, trace: Path) -> AsyncIterator[None]:
    """Write what a process says and syncs to `trace` while the context lasts."""
    calls = "trace=fsync,fdatasync,sendto"
    command = ("strace", "-f", "-y", "-e", calls, "-o", str(trace), "-p", str(process_id))
    process = await asyncio.create_subprocess_exec(*command, stderr=asyncio.subprocess.PIPE)
    assert process.stderr is not None
    assert b"attached" in await process.stderr.readline()
    try:
        yield
    finally:
        process.terminate()
        await process.wait()


def synced(lines: Iterable[str]) -> Iterable[str]:
    """Yield the paths of files whose syncs have ended, in this order."""
    begun: dict[str, str] = {}
    for line in lines:
        thread, _, call = line.partition(" ")
        if found := re.search(r"sync\(\d+<([^>]*)>", call):
            begun[thread] = found[1]
        if "sync" in call and call.endswith("= 0"):
            yield begun.pop(thread)

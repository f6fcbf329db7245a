"""The command `parse --server` with real services, some of which are killed."""

import asyncio
import os
import pty
import signal
from collections.abc import AsyncIterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from docparser_runtime.client import AsyncClient
from integration.runtime.processes import COMMAND, environment, run
from integration.runtime.restarting import SLOW_LIMITS, Start, document, services, tree
from unit.runtime.doubles import eventually


@pytest.fixture
async def start(tmp_path: Path) -> AsyncIterator[Start]:
    async with services(tmp_path / "data") as started:
        yield started


async def parse(*arguments: object, stdin: bytes = b"") -> tuple[int, str, str]:
    command = ("parse", *(str(one) for one in arguments))
    return await run(*command, environ=environment(), stdin=stdin)


def outputs(folder: Path) -> dict[str, bytes]:
    """Return all files below `folder` but the journal."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in files
        if not path.name.startswith(".")
    }


async def test_the_batch_goes_on_when_the_service_is_killed(start: Start, tmp_path: Path) -> None:
    service = await start(**SLOW_LIMITS)
    tree(tmp_path / "in", 3, "a.pdf", "b/c.pdf", "b/d/e.pdf")
    order = (tmp_path / "in", "--server", service.url, "--output", tmp_path / "out")
    batch = asyncio.create_task(parse(*order, "--format", "both", "--parallel", "3"))

    async def is_at_work() -> bool:
        return await service.program.metric("docparser_pages_total") >= 4

    await eventually(is_at_work)
    await service.kill()
    await service.start()
    code, output, errors = await batch
    assert (code, output) == (0, ""), errors
    assert "3 read, 0 done before, 0 failed" in errors
    expected = {f"{name}.pdf{e}" for name in ("a", "b/c", "b/d/e") for e in (".md", ".json")}
    assert set(outputs(tmp_path / "out")) == expected
    async with AsyncClient(service.url) as client:
        assert [task.status async for task in client.tasks()] == ["done"] * 3


async def test_an_interrupted_batch_goes_on_where_it_was(start: Start, tmp_path: Path) -> None:
    service = await start(**SLOW_LIMITS)
    names = [f"{number}.pdf" for number in range(24)]
    tree(tmp_path / "in", 2, *names)
    order = [str(tmp_path / "in"), "--server", service.url, "--output", str(tmp_path / "out")]
    process = await asyncio.create_subprocess_exec(
        *(*COMMAND, "parse", *order, "--parallel", "2"),
        env=environment(),
        stderr=asyncio.subprocess.PIPE,
    )
    await eventually(lambda: len(outputs(tmp_path / "out")) >= 2)
    process.send_signal(signal.SIGINT)
    _, told = await asyncio.wait_for(process.communicate(), 20)
    assert process.returncode == 130, told
    assert b"the same command goes on from here" in told
    before = outputs(tmp_path / "out")
    assert 2 <= len(before) < len(names)
    code, _, errors = await parse(*order)
    assert code == 0, errors
    assert f"{len(before)} done before, 0 failed" in errors
    assert set(outputs(tmp_path / "out")) == {f"{name}.md" for name in names}
    async with AsyncClient(service.url) as client:
        assert len([task async for task in client.tasks()]) == len(names)
    code, _, errors = await parse(*order)
    assert (code, f"0 read, {len(names)} done before" in errors) == (0, True)


async def test_the_failure_of_one_document_is_told_in_the_end(start: Start, tmp_path: Path) -> None:
    service = await start()
    tree(tmp_path / "in", 1, "a.pdf", "c.pdf")
    (tmp_path / "in" / "b.pdf").write_bytes(b"no document")
    (tmp_path / "in" / "b.txt").write_bytes(b"no document")
    code, output, errors = await parse(
        *(tmp_path / "in", "--server", service.url, "--output", tmp_path / "out")
    )
    assert (code, output) == (1, "")
    assert "failed b.pdf: unsupported_media_type (415)" in errors
    assert "2 read, 0 done before, 1 failed, 0 not tried, 1 other files" in errors


async def test_a_service_without_tasks_reads_at_once(start: Start, tmp_path: Path) -> None:
    service = await start(tasks_kept=False)
    tree(tmp_path / "in", 2, "a.pdf")
    order = (tmp_path / "in", "--server", service.url)
    code, output, errors = await parse(*order)
    assert (code, errors) == (0, "")
    assert output.count("# Page") == 2
    code, _, errors = await parse(*order, "--priority", "high", "--output", tmp_path / "out")
    assert (code, "tasks_disabled (404)" in errors) == (1, True)


async def test_the_token_comes_from_a_file(start: Start, tmp_path: Path) -> None:
    service = await start(token="s3cr3t")
    tree(tmp_path / "in", 1, "a.pdf", "b.pdf")
    right, wrong = tmp_path / "right", tmp_path / "wrong"
    right.write_text("s3cr3t\n")
    wrong.write_text("canary")
    order = (tmp_path / "in", "--server", service.url, "--output", tmp_path / "out")
    code, _, errors = await parse(*order, "--parallel", "1", "--token-file", wrong)
    assert (code, "canary" in errors) == (1, False)
    assert "1 failed, 1 not tried" in errors
    assert "ended early: unauthorized (401)" in errors
    assert (await parse(*order, "--token-file", right))[0] == 0


async def test_a_document_of_the_web_is_fetched_by_the_command(start: Start) -> None:
    service = await start()

    class Web(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(document(1))

        def log_message(self, *_: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Web) as web:
        serve = Thread(target=web.serve_forever)
        serve.start()
        url = f"http://127.0.0.1:{web.server_port}/a.pdf"
        code, output, errors = await parse(url, "--server", service.url, "--json")
        web.shutdown()
        serve.join()
    assert (code, '"pages": [' in output) == (0, True), errors


async def test_a_terminal_sees_a_bar(start: Start, tmp_path: Path) -> None:
    service = await start()
    tree(tmp_path / "in", 1, "a.pdf", "b.pdf")
    ours, theirs = pty.openpty()
    order = (tmp_path / "in", "--server", service.url, "--output", tmp_path / "out")
    process = await asyncio.create_subprocess_exec(
        *(*COMMAND, "parse", *map(str, order)), env=environment() | {"TERM": "xterm"}, stderr=theirs
    )
    os.close(theirs)
    seen = await asyncio.to_thread(read_all, ours)
    assert await process.wait() == 0
    assert b"Reading" in seen
    assert b"100%" in seen
    assert b"2 read" in seen


def read_all(terminal: int) -> bytes:
    seen = b""
    with suppress(OSError):  # the other side is closed
        while piece := os.read(terminal, 4096):
            seen += piece
    os.close(terminal)
    return seen

"""Documents by a service: as tasks, without tasks, and what becomes of failures."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import httpx
import pytest
from docparser_runtime.batch.downloads import web
from docparser_runtime.batch.outputs import Outputs
from docparser_runtime.batch.progress import Outcome
from docparser_runtime.batch.reading import Batch, Reader, Wishes
from docparser_runtime.batch.sources import found
from docparser_runtime.client import (
    ApiError,
    AsyncClient,
    BusyError,
    Form,
    Options,
    TasksDisabledError,
    UnauthorizedError,
    UnreachableError,
)
from unit.runtime.client.scripts import AT_ONCE, RESPONSE, TASK, URL, Reply, Script, problem

READ = httpx.Response(200, json=RESPONSE)
A = {"markdown": b"# A\n"}


def task(status: str = "queued", name: str = "t1", **fields: Any) -> httpx.Response:
    return httpx.Response(200, json=TASK | {"status": status, "id": name} | fields)


class Told:
    """Remembers what it is told."""

    def __init__(self) -> None:
        self.moves: list[tuple[str, float]] = []
        self.outcomes: list[Outcome] = []

    def moved(self, name: str, share: float) -> None:
        self.moves.append((name, share))

    def ended(self, outcome: Outcome) -> None:
        self.outcomes.append(outcome)


async def read(script: Script, wishes: Wishes = Wishes(), documents: int = 1) -> list[float]:  # noqa: B008
    shares: list[float] = []
    async with AsyncClient(URL, settings=AT_ONCE, transport=script.transport) as client:
        reader = Reader(client, wishes, ("markdown",))
        for _ in range(documents):
            assert (await reader.read(b"document", shares.append)).contents == A
    return shares


def paths(script: Script) -> list[str]:
    return [f"{one.method} {one.url.path.removeprefix('/v1/document')}" for one in script.requests]


def keys(script: Script) -> list[str]:
    found = [one.headers.get("idempotency-key") for one in script.requests]
    return [key for key in found if key is not None]


async def test_a_document_is_read_as_a_task_whose_pages_are_counted() -> None:
    script = Script([task(), task("running", pages_done=1), task("done", pages_done=2), READ])
    assert await read(script) == [0.5, 1.0]
    assert paths(script) == [
        "POST /tasks",
        "GET /tasks/t1",
        "GET /tasks/t1",
        "GET /tasks/t1/result",
    ]


async def test_where_there_are_no_tasks_it_is_read_at_once_and_none_is_tried_again() -> None:
    script = Script([problem("tasks_disabled", 404), READ, READ])
    await read(script, documents=2)
    assert paths(script) == ["POST /tasks", "POST /parse", "POST /parse"]


async def test_a_busy_service_is_given_more_time_than_a_client_gives() -> None:
    script = Script([*[problem("queue_full", 503)] * 9, task(), task("done"), READ])
    await read(script)
    assert len(set(keys(script))) == 1


async def test_a_service_that_stays_busy_is_given_up() -> None:
    script = Script([problem("queue_full", 503)] * 200)
    with pytest.raises(BusyError):
        await read(script)
    assert len(script.requests) == 84


async def test_a_priority_is_not_passed_over_where_there_are_no_tasks() -> None:
    with pytest.raises(TasksDisabledError):
        await read(Script([problem("tasks_disabled", 404)]), Wishes(Options(), "high"))


async def test_all_options_are_sent_with_the_task() -> None:
    given = Options(page_range="1-2", tables="html", headers_footers="drop", password="s3cr3t")
    wishes = Wishes(given, "high")
    script = Script([task("done"), READ])
    await read(script, wishes)
    fields = re.findall(rb'name="(\w+)"\r\n\r\n(.*?)\r\n', script.requests[0].content)
    assert dict(fields) == {
        b"page_range": b"1-2",
        b"tables": b"html",
        b"headers_footers": b"drop",
        b"password": b"s3cr3t",
        b"priority": b"high",
    }
    assert "s3cr3t" not in repr(wishes) + str(wishes.work)


@pytest.mark.parametrize("status", ["failed", "cancelled"])
async def test_what_came_to_nothing_before_is_tried_anew(status: str) -> None:
    replies: list[Reply] = [task(status, "old"), task("queued", "new"), task("done", "new"), READ]
    first, second = Script(list(replies)), Script(list(replies))
    await read(first)
    await read(second)
    assert paths(first)[-1] == "GET /tasks/new/result"
    assert keys(first) == keys(second)
    assert len(set(keys(first))) == 2


async def test_what_fails_now_has_failed() -> None:
    script = Script([task(), task("failed"), problem("engine_failed", 500)])
    with pytest.raises(ApiError) as raised:
        await read(script)
    assert raised.value.code == "engine_failed"


async def test_a_task_that_the_service_has_forgotten_is_made_again() -> None:
    script = Script([task(), problem("task_not_found", 404), task(), task("done"), READ])
    await read(script)
    assert len(set(keys(script))) == 1


async def test_a_result_that_was_damaged_is_waited_for() -> None:
    damaged = problem("task_not_done", 409)
    script = Script([task("done"), damaged, task("running"), task("done"), READ])
    await read(script)
    assert script.replies == []


async def batch(
    tmp_path: Path,
    replies: Sequence[Reply],
    names: list[str],
    forms: tuple[Form, ...] = ("markdown",),
    wishes: Wishes = Wishes(),  # noqa: B008
) -> tuple[Batch, Told]:
    """Read documents of these names one after another."""
    for name in names:
        (tmp_path / name).write_bytes(name.encode())
    sources = found([str(tmp_path / name) for name in names]).sources
    script, told = Script(list(replies)), Told()
    with Outputs.opened(tmp_path / "out") as outputs:
        async with (
            AsyncClient(URL, settings=AT_ONCE, transport=script.transport) as client,
            web() as http,
        ):
            made = Batch(Reader(client, wishes, forms), outputs, forms, http)
            assert await made.run(sources, 1, told) == told.outcomes
    return made, told


async def test_outputs_are_written_and_not_made_twice(tmp_path: Path) -> None:
    replies: list[Reply] = [task("done"), READ]
    _, told = await batch(tmp_path, list(replies), ["a.pdf"])
    assert told.outcomes == [Outcome("a.pdf", "read", "2 pages")]
    assert (tmp_path / "out/a.pdf.md").read_text() == "# A\n"
    _, told = await batch(tmp_path, [], ["a.pdf"])
    assert [outcome.state for outcome in told.outcomes] == ["skipped"]
    _, told = await batch(tmp_path, list(replies), ["a.pdf"], ("markdown", "json"))
    assert [outcome.state for outcome in told.outcomes] == ["read"]
    assert '"content": "# A"' in (tmp_path / "out/a.pdf.json").read_text()


async def test_every_form_is_asked_for_and_written(tmp_path: Path) -> None:
    forms: tuple[Form, ...] = ("json", "markdown", "text", "html", "pdf")
    others = [httpx.Response(200, content=f"\xff {form}".encode()) for form in forms[2:]]
    tasked: list[Reply] = [task("done"), READ, *others]
    at_once: list[Reply] = [problem("tasks_disabled", 404), READ, *others]
    for replies, folder, pages in ((tasked, "one", "2 pages"), (at_once, "two", "1 page")):
        (tmp_path / folder).mkdir()
        _, told = await batch(tmp_path / folder, replies, ["a.pdf"], forms)
        assert told.outcomes == [Outcome("a.pdf", "read", pages)]
        outputs = tmp_path / folder / "out"
        assert (outputs / "a.pdf.md").read_bytes() == A["markdown"]
        assert '"content": "# A"' in (outputs / "a.pdf.json").read_text()
        for ending, form in ((".txt", "text"), (".html", "html"), (".pdf", "pdf")):
            assert (outputs / f"a.pdf{ending}").read_bytes() == f"\xff {form}".encode()


async def test_another_option_is_another_work(tmp_path: Path) -> None:
    replies: list[Reply] = [task("done"), READ]
    states = []
    for options in (Options(), Options(tables="html"), Options(tables="html", password="x")):
        _, told = await batch(tmp_path, list(replies), ["a.pdf"], wishes=Wishes(options))
        states.append(told.outcomes[0].state)
    assert states == ["read", "read", "skipped"]


async def test_the_failure_of_one_does_not_stop_the_others(tmp_path: Path) -> None:
    replies = [problem("document_corrupt", 422), task("done"), READ]
    made, told = await batch(tmp_path, replies, ["a.pdf", "b.pdf"])
    assert [outcome.state for outcome in told.outcomes] == ["failed", "read"]
    assert told.outcomes[0].detail == "document_corrupt (422): Why."
    assert made.failure is None


@pytest.mark.parametrize(
    ("replies", "kind"),
    [
        ([problem("unauthorized", 401)], UnauthorizedError),
        ([httpx.ConnectError("")] * 4, UnreachableError),
    ],
)
async def test_what_would_fail_all_ends_the_batch(
    tmp_path: Path, replies: list[Reply], kind: type[Exception]
) -> None:
    made, told = await batch(tmp_path, list(replies), ["a.pdf", "b.pdf", "c.pdf"])
    assert isinstance(made.failure, kind)
    assert [outcome.name for outcome in told.outcomes] == ["a.pdf"]


async def test_files_that_cannot_be_read_or_written_are_failures(tmp_path: Path) -> None:
    (tmp_path / "out" / "b.pdf.md").mkdir(parents=True)
    sources = ["a.pdf", "b.pdf"]
    _, told = await batch(tmp_path, [task("done"), READ, task("done"), READ], sources)
    assert [outcome.state for outcome in told.outcomes] == ["read", "failed"]

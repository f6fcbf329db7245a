"""Documents that come back as PDFs with their text, from `parse` and as results of tasks."""

import asyncio
import base64
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
from docparser_api.names import PATH_TASKS
from docparser_api.runtime import RuntimeConfig
from docparser_runtime.body import MemoryBudget
from docparser_runtime.errors import QueueFull, RequestTimeout
from docparser_runtime.pdf_answers import pdf_answer
from docparser_runtime.schemas import Options, PageBody
from docparser_runtime.searchable import SearchablePdfs
from docparser_runtime.uploads import Upload
from starlette.requests import Request
from unit.runtime.doubles import PARSE, Reader, Service, StartService, a_document, eventually

pytestmark = pytest.mark.thorough  # each document is written anew

AS_PDF = {"Accept": "application/pdf"}


def text_of(page: int) -> str:
    return f"page {page} of {30 + page} pixels, None tokens"


async def parsed(service: Service, document: bytes, **fields: Any) -> httpx.Response:
    files = {"file": ("a.pdf", document)}
    return await service.client.post(PARSE, files=files, data=fields, headers=AS_PDF)


async def done_task(service: Service, document: bytes, **fields: Any) -> str:
    """Return the id of a task that is done."""
    files = {"file": ("a.pdf", document)}
    task = (await service.client.post(PATH_TASKS, files=files, data=fields)).json()
    path = f"{PATH_TASKS}/{task['id']}"
    ended = (await service.client.get(path, params={"wait": 20})).json()
    assert ended["status"] == "done"
    return str(task["id"])


async def result(service: Service, task_id: str) -> httpx.Response:
    return await service.client.get(f"{PATH_TASKS}/{task_id}/result", headers=AS_PDF)


@pytest.fixture
async def keeper(start: StartService, tmp_path: Path) -> Service:
    return await start(directory=tmp_path)


@pytest.mark.parametrize(
    ("fields", "texts"),
    [
        ({}, [[text_of(0)], [text_of(1)], [text_of(2)]]),
        ({"page_range": "2"}, [[], [text_of(1)], []]),
        ({"page_range": "1,3"}, [[text_of(0)], [], [text_of(2)]]),
    ],
)
async def test_each_page_gets_what_was_read_on_it(
    keeper: Service, fields: dict[str, str], texts: list[list[str]]
) -> None:
    answers = [
        await parsed(keeper, a_document(3), **fields),
        await result(keeper, await done_task(keeper, a_document(3), **fields)),
    ]
    for answer in answers:
        assert answer.status_code == 200
        assert answer.headers["content-type"] == "application/pdf"
        assert answer.json() == texts
    assert keeper.context.budget.taken_bytes == 0
    assert keeper.reader.opened == keeper.reader.closed


async def test_documents_with_passwords(keeper: Service) -> None:
    document = a_document(1, password="right")
    assert (await parsed(keeper, document, password="right")).json() == [[text_of(0)]]
    task = await done_task(keeper, document, password="right")
    assert (await result(keeper, task)).json() == [[text_of(0)]]


async def test_several_documents_make_no_pdf(keeper: Service) -> None:
    pages = {"pages": [base64.b64encode(a_document()).decode()] * 2}
    answer = await keeper.client.post(PARSE, json=pages, headers=AS_PDF)
    assert (answer.status_code, answer.json()["code"]) == (406, "not_acceptable")
    assert keeper.reader.opened == 0
    task = (await keeper.client.post(PATH_TASKS, json=pages)).json()
    await keeper.client.get(f"{PATH_TASKS}/{task['id']}", params={"wait": 20})
    answer = await result(keeper, task["id"])
    assert (answer.status_code, answer.json()["code"]) == (406, "not_acceptable")


async def test_a_task_that_is_not_done(keeper: Service) -> None:
    keeper.engine.hold()
    files = {"file": ("a.pdf", a_document())}
    task = (await keeper.client.post(PATH_TASKS, files=files)).json()
    answer = await result(keeper, task["id"])
    assert (answer.status_code, answer.json()["code"]) == (409, "task_not_done")
    keeper.engine.release()


async def test_a_document_that_is_gone_leaves_its_text(keeper: Service) -> None:
    task = await done_task(keeper, a_document())
    assert keeper.directory is not None
    (keeper.directory / "objects" / task / "upload" / "0").unlink()
    answer = await result(keeper, task)
    assert (answer.status_code, answer.json()["code"]) == (406, "not_acceptable")
    assert (await keeper.client.get(f"{PATH_TASKS}/{task}/result")).status_code == 200


async def test_damaged_pages_are_read_again(keeper: Service) -> None:
    task = await done_task(keeper, a_document())
    assert keeper.directory is not None
    objects = keeper.directory / "objects" / task
    (damaged,) = (path for path in objects.rglob("*") if path.parent.name == "pages")
    damaged.write_bytes(b"{}")
    answer = await result(keeper, task)
    assert (answer.status_code, answer.json()["code"]) == (503, "result_corrupt")
    await keeper.client.get(f"{PATH_TASKS}/{task}", params={"wait": 20})
    assert (await result(keeper, task)).json() == [[text_of(0)]]


async def test_what_is_sent_counts_as_memory_until_it_is_sent() -> None:
    budget = MemoryBudget(1000, lambda: {"Retry-After": "1"})
    request = Request({"type": "http", "headers": []}, receive=_nothing_more)
    answer = await pdf_answer(request, budget, _made(b"x" * 600))
    assert budget.taken_bytes == 600
    with pytest.raises(QueueFull):
        await pdf_answer(request, budget, _made(b"y" * 600))
    assert budget.taken_bytes == 600
    sent = []

    async def send(message: Any) -> None:
        sent.append((message.get("body", b""), budget.taken_bytes))

    scope = {"type": "http", "asgi": {"spec_version": "2.4"}}
    await answer(scope, _nothing_more, send)
    assert b"".join(body for body, _ in sent) == b"x" * 600
    assert {taken for _, taken in sent} == {600}
    assert budget.taken_bytes == 0


async def _made(content: bytes) -> bytes:
    return content


async def _nothing_more() -> Any:
    await asyncio.Event().wait()


@dataclass
class Content:
    """A document that takes until `go` to be fetched."""

    go: asyncio.Event = field(default_factory=asyncio.Event)
    fetched: int = 0

    async def fetch(self) -> bytes:
        self.fetched += 1
        await self.go.wait()
        return a_document()


async def no_pages() -> AsyncIterator[PageBody]:
    unread: tuple[PageBody, ...] = ()
    for page in unread:
        yield page


async def test_no_more_are_made_at_once_than_the_configuration_says() -> None:
    pdfs = SearchablePdfs(RuntimeConfig(max_concurrency=1, max_queue_length=1), Reader())
    content = Content()
    making = [asyncio.create_task(pdfs.pdf(content.fetch, no_pages())) for _ in range(2)]
    await eventually(lambda: content.fetched == 1)
    with pytest.raises(QueueFull):
        await pdfs.pdf(content.fetch, no_pages())
    content.go.set()
    assert await asyncio.gather(*making) == [b"[[]]"] * 2
    assert content.fetched == 2


async def test_what_takes_too_long_is_a_timeout() -> None:
    pdfs = SearchablePdfs(RuntimeConfig(max_concurrency=1, request_timeout_seconds=1), Reader())
    content = Content()
    first = asyncio.create_task(pdfs.pdf(content.fetch, no_pages()))
    await eventually(lambda: content.fetched == 1)
    upload = Upload((a_document(),), Options())
    with pytest.raises(RequestTimeout):
        await pdfs.of_upload(upload, ())
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    assert await pdfs.of_upload(upload, ()) == b"[[]]"

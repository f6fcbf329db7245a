"""Both clients: every form in which the service gives what it has read."""

import re

import httpx
import pytest
from docparser_runtime.client import Options
from unit.runtime.client.scripts import TASK, Asking, Script

DOCUMENT = b"document"
FORMS: list[tuple[str, str]] = [
    ("json", "application/json"),
    ("markdown", "text/markdown"),
    ("text", "text/plain"),
    ("html", "text/html"),
    ("pdf", "application/pdf"),
]


@pytest.mark.parametrize(("form", "media_type"), FORMS)
async def test_every_form(client: Asking, form: str, media_type: str) -> None:
    read = httpx.Response(200, content=b"\xffcontent")
    script = Script([read, read])
    assert await client.ask(script, "result_as", "t1", form) == b"\xffcontent"
    assert await client.ask(script, "parse_as", DOCUMENT, form) == b"\xffcontent"
    assert {request.headers["accept"] for request in script.requests} == {media_type}


async def test_a_document_that_becomes_a_task_comes_in_its_form(client: Asking) -> None:
    waits = [httpx.Response(200, json=TASK | {"status": s}) for s in ("running", "done")]
    script = Script([httpx.Response(202, json=TASK), *waits, httpx.Response(200, content=b"%PDF")])
    options = Options(page_range="1-2", tables="html", headers_footers="drop")
    assert await client.ask(script, "parse_as", DOCUMENT, "pdf", options) == b"%PDF"
    accepted = [request.headers["accept"] for request in script.requests]
    assert accepted == ["application/pdf", *["application/json"] * 2, "application/pdf"]
    fields = re.findall(rb'name="(\w+)"\r\n\r\n(.*?)\r\n', script.requests[0].content)
    assert dict(fields) == {b"page_range": b"1-2", b"tables": b"html", b"headers_footers": b"drop"}

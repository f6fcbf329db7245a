"""The command `parse --server` with options of reading, at a real service."""

import io
from collections.abc import AsyncIterator
from pathlib import Path

import pikepdf
import pytest
from docparser_runtime.client import AsyncClient
from integration.runtime.processes import environment, run
from integration.runtime.restarting import Start, services
from support.sample_document import prose_pdf

PASSWORD = "correct horse"


@pytest.fixture
async def start(tmp_path: Path) -> AsyncIterator[Start]:
    async with services(tmp_path / "data") as started:
        yield started


def locked() -> bytes:
    """Return an encrypted document of three pages."""
    buffer = io.BytesIO()
    with pikepdf.open(io.BytesIO(prose_pdf(3))) as pdf:
        pdf.save(buffer, encryption=pikepdf.Encryption(owner="owner", user=PASSWORD))
    return buffer.getvalue()


async def parse(*arguments: object) -> tuple[int, str, str]:
    command = ("parse", *(str(one) for one in arguments), "--password-stdin")
    return await run(*command, environ=environment(), stdin=f"{PASSWORD}\n".encode())


async def test_an_encrypted_document_is_read_in_every_form(start: Start, tmp_path: Path) -> None:
    service = await start()
    path, out = tmp_path / "in.pdf", tmp_path / "out"
    path.write_bytes(locked())
    forms = "markdown,json,text,html,pdf"
    order = (path, "--server", service.url, "--output", out, "--format", forms, "--pages", "2-")
    code, _, errors = await parse(*order)
    assert (code, "1 read, 0 done before" in errors) == (0, True), errors
    assert "read in.pdf: 2 pages" in errors
    texts = {end: (out / f"in.pdf.{end}").read_text() for end in ("md", "json", "txt", "html")}
    assert all("Page 2" in text and "Page 1" not in text for text in texts.values())
    assert texts["html"].startswith("<!doctype html>")
    with pikepdf.open(out / "in.pdf.pdf") as searchable:
        assert (len(searchable.pages), searchable.is_encrypted) == (3, False)
    code, _, errors = await parse(*order)
    assert (code, "0 read, 1 done before" in errors) == (0, True), errors
    code, _, errors = await parse(*order[:-1], "1")
    assert (code, "1 read, 0 done before" in errors) == (0, True), errors
    assert "Page 1" in (out / "in.pdf.md").read_text()
    async with AsyncClient(service.url) as client:
        assert [task.pages async for task in client.tasks()] == [1, 2]

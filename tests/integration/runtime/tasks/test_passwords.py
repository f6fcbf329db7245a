"""Encrypted documents as tasks: real parsers take the encryption off before anything is stored."""

import io
from pathlib import Path

import pikepdf
import pytest
from docparser_api.names import ENV_DATA, PATH_TASKS
from integration.runtime.processes import environment, serving
from support.searchable import Reader

from .client import blank_pdf
from .conftest import Cluster, Connect

PASSWORD = "gehéim-correct-horse"
OWNER = "owner-battery-staple"


def locked(user: str = PASSWORD) -> bytes:
    """Return an encrypted document of two pages."""
    buffer = io.BytesIO()
    with pikepdf.open(io.BytesIO(blank_pdf(2))) as pdf:
        pdf.save(buffer, encryption=pikepdf.Encryption(owner=OWNER, user=user))
    return buffer.getvalue()


def damaged(content: bytes) -> bytes:
    """Return the same file with a table of contents that leads nowhere."""
    start = content.rindex(b"startxref")
    return content[:start] + b"startxref\n1\n%%EOF\n"


def everything(directory: Path) -> list[bytes]:
    """Return what lies in the files of a directory."""
    return [path.read_bytes() for path in directory.rglob("*") if path.is_file()]


@pytest.mark.parametrize(
    ("content", "password"),
    [
        (locked(), PASSWORD),
        (locked(), OWNER),
        (locked(""), None),
        (locked(""), OWNER),
        (damaged(locked()), PASSWORD),
    ],
    ids=["user", "owner", "needs none", "needs none but owner", "damaged"],
)
async def test_neither_password_nor_encryption_reach_the_disk(
    tmp_path: Path, connect: Connect, content: bytes, password: str | None
) -> None:
    async with serving(environment() | {ENV_DATA: str(tmp_path)}) as program:
        client = connect(program)
        options = {} if password is None else {"password": password}
        task = await client.submit(content, **options)
        assert (await client.task(task["id"], wait=30))["status"] == "done"
        assert len((await client.result(task["id"])).json()["pages"]) == 2
        upload = (tmp_path / "objects" / task["id"] / "upload" / "0").read_bytes()
        with pikepdf.open(io.BytesIO(upload)) as pdf:
            assert not pdf.is_encrypted
            assert len(pdf.pages) == 2
        found = everything(tmp_path)
        for secret in (b"/Encrypt", PASSWORD.encode(), OWNER.encode()):
            assert not any(secret in one for one in found)


async def test_wrong_and_missing_passwords_leave_nothing(tmp_path: Path, connect: Connect) -> None:
    async with serving(environment() | {ENV_DATA: str(tmp_path)}) as program:
        client = connect(program)
        for options, code in (
            ({}, "password_required"),
            ({"password": "wrong-password"}, "password_invalid"),
        ):
            answer = await client.http.post(
                PATH_TASKS, files={"file": ("a.pdf", locked())}, data=options
            )
            assert (answer.status_code, answer.json()["code"]) == (422, code)
        found = everything(tmp_path)
        assert not any(b"/Encrypt" in one or b"wrong-password" in one for one in found)


async def test_a_plain_document_is_stored_as_it_came(tmp_path: Path, connect: Connect) -> None:
    content = blank_pdf(1)
    async with serving(environment() | {ENV_DATA: str(tmp_path)}) as program:
        client = connect(program)
        task = await client.submit(content, password="needless")
        assert (tmp_path / "objects" / task["id"] / "upload" / "0").read_bytes() == content


async def test_a_gateway_takes_passwords(
    cluster: Cluster, tmp_path: Path, connect: Connect
) -> None:
    async with (
        serving(cluster.environment(), role="gateway") as gateway,
        serving(cluster.environment(), role="worker"),
    ):
        client = connect(gateway)
        answer = await client.http.post(
            "/v1/document/parse",
            files={"file": ("a.pdf", locked())},
            data={"password": PASSWORD},
        )
        assert answer.status_code == 200, answer.text
        assert len(answer.json()["pages"]) == 2
        as_pdf = await client.http.post(
            "/v1/document/parse",
            files={"file": ("a.pdf", locked())},
            data={"password": PASSWORD},
            headers={"Accept": "application/pdf"},
        )
        assert as_pdf.status_code == 200, as_pdf.text
        assert Reader(as_pdf.content, PASSWORD).text(1).split()[:2] == ["Page", "2"]
        found = everything(tmp_path)
        assert found
        assert not any(b"/Encrypt" in one for one in found)
        refused = await client.http.post(
            "/v1/document/parse", files={"file": ("a.pdf", locked())}, data={"password": "no"}
        )
        assert (refused.status_code, refused.json()["code"]) == (422, "password_invalid")

"""Links to results in a bucket: off unless asked for, and of no use after a while."""

import asyncio
import hashlib
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from docparser_api.names import ENV_DATA, ENV_DATABASE_URL, ENV_STORE_URL, ENV_TOKEN
from docparser_runtime.client import ApiError, Client, ResultLink, Task
from integration.runtime.processes import Program, environment, serving
from integration.runtime.restarting import document
from support.s3_server import S3Server

TOKEN = "a-token-of-the-tests"


def in_bucket(server: S3Server, directory: Path, **more: str) -> dict[str, str]:
    """Return the environment of a service whose results lie in a bucket."""
    store = {
        "DOCPARSER_STORE_ENDPOINT": server.url,
        "DOCPARSER_STORE_ACCESS_KEY_ID": server.keys.access_key_id,
        "DOCPARSER_STORE_SECRET_ACCESS_KEY": server.keys.secret_access_key,
        ENV_STORE_URL: f"s3://{server.bucket}/results",
        ENV_DATABASE_URL: f"sqlite:///{directory}/queue.db",
        ENV_TOKEN: TOKEN,
    }
    return environment() | store | more


def linked(program: Program) -> tuple[ResultLink, Task, bytes]:
    """Return a link to the text of a task, and what it says."""
    with Client(program.url, TOKEN) as client:
        task = client.wait(client.submit(document(2)), 30)
        link = client.link(task, "markdown")
        with pytest.raises(ApiError) as raised:
            client.link(task, "html")  # no object: it is made when it is asked for
        assert raised.value.code == "link_unavailable"
        return link, task, client.result_as(task, "markdown")


async def test_a_link_needs_no_token_and_is_not_logged(tmp_path: Path) -> None:
    with S3Server().running() as server:
        environ = in_bucket(server, tmp_path, DOCPARSER_STORE_LINK_SECONDS="90")
        async with serving(environ) as program, httpx.AsyncClient(trust_env=False) as anybody:
            link, task, text = await asyncio.to_thread(linked, program)
            got = await anybody.get(link.url)
            assert (got.status_code, got.content) == (200, text)
            assert hashlib.sha256(got.content).hexdigest() == link.sha256
            assert (await anybody.get(link.url.replace(task.id, "other"))).status_code == 403
            audits = [line for line in program.events("audit") if line["action"] == "link"]
    query = parse_qs(urlsplit(link.url).query)
    assert query["X-Amz-Expires"] == ["90"]
    assert [(one["outcome"], one["task_id"]) for one in audits] == [
        ("ok", task.id),
        ("link_unavailable", task.id),
    ]
    logged = repr(program.log)
    for secret in (query["X-Amz-Signature"][0], server.keys.secret_access_key, TOKEN):
        assert secret not in logged


async def refusal(environ: dict[str, str], **params: Any) -> httpx.Response:
    """Return the answer to a client that asks for a link all the same."""
    headers = {"authorization": f"Bearer {TOKEN}"}
    async with (
        serving(environ) as program,
        httpx.AsyncClient(base_url=program.url, headers=headers) as client,
    ):
        sent = await client.post("/v1/document/tasks", files={"file": ("a", document(1))})
        path = f"/v1/document/tasks/{sent.json()['id']}"
        await client.get(path, params={"wait": 30})
        assert (await client.get(f"{path}/result")).status_code == 200
        return await client.get(f"{path}/result", params={"link": "true"})


async def test_there_are_no_links_unless_they_are_asked_for(tmp_path: Path) -> None:
    with S3Server().running() as server:
        answer = await refusal(in_bucket(server, tmp_path))
        assert (answer.status_code, answer.json()["code"]) == (404, "link_unavailable")


async def test_a_directory_never_has_links(tmp_path: Path) -> None:
    asked = {"DOCPARSER_STORE_LINK_SECONDS": "90", ENV_DATA: str(tmp_path), ENV_TOKEN: TOKEN}
    answer = await refusal(environment() | asked)
    assert (answer.status_code, answer.json()["code"]) == (404, "link_unavailable")

"""What a service asks of the world outside for its clients: callbacks, and documents by address."""

import hmac
import json
from pathlib import Path
from typing import Any

import pytest
from docparser_api.names import PATH_TASKS
from support.web_receiver import Receiver, answered
from unit.runtime.doubles import PARSE, StartService, a_document, eventually
from unit.runtime.tasks.conftest import ended, submit

INSIDE = {"allowed_networks": ["127.0.0.0/8"]}
SECRET = b"a secret of sixteen characters"


def allowed(receiver: Receiver) -> dict[str, Any]:
    return {**INSIDE, "allowed_ports": [receiver.port]}


async def test_a_signed_callback_tells_of_the_end(start: StartService, tmp_path: Path) -> None:
    async with Receiver().running() as receiver:
        service = await start(
            directory=tmp_path, secrets=(SECRET,), tasks={"callbacks": allowed(receiver)}
        )
        url = f"http://127.0.0.1:{receiver.port}/done"
        task = await submit(service, callback_url=url)
        await ended(service, task)
        await eventually(lambda: bool(receiver.requests))
        (told,) = receiver.requests
        body = json.loads(told.body)
        assert (body["task_id"], body["status"]) == (task["id"], "done")
        signed = told.headers["x-docparser-timestamp"].encode() + b"." + told.body
        expected = "v1=" + hmac.digest(SECRET, signed, "sha256").hex()
        assert told.headers["x-docparser-signature"] == expected


async def test_callbacks_go_nowhere_unless_allowed(start: StartService, tmp_path: Path) -> None:
    async with Receiver().running() as receiver:
        service = await start(directory=tmp_path)
        answer = await service.client.post(
            PATH_TASKS,
            files={"file": ("a", a_document())},
            data={"callback_url": f"http://127.0.0.1:{receiver.port}/"},
        )
        assert (answer.status_code, answer.json()["code"]) == (400, "url_not_allowed")
        assert (await service.client.get(PATH_TASKS)).json()["tasks"] == []
        assert receiver.connections == 0


async def test_a_document_is_fetched_from_where_it_may_be(
    start: StartService, tmp_path: Path
) -> None:
    document = a_document(2)
    async with Receiver(lambda _: answered(200, body=document)).running() as receiver:
        service = await start(directory=tmp_path, url_sources=allowed(receiver))
        asked = {"url": f"http://127.0.0.1:{receiver.port}/a.pdf"}
        parsed = await service.client.post(PARSE, json=asked)
        assert len(parsed.json()["pages"]) == 2
        answer = await service.client.post(PATH_TASKS, json={**asked, "priority": "low"})
        assert (await ended(service, answer.json()))["pages_done"] == 2
        assert service.context.budget.taken_bytes == 0


@pytest.mark.parametrize(
    ("content", "status", "code"),
    [
        pytest.param(answered(200), 400, "empty_document", id="nothing there"),
        pytest.param(answered(404), 422, "url_unreachable", id="not found"),
        pytest.param(answered(200, body=b"x" * 2000), 413, "document_too_large", id="too large"),
        pytest.param(
            answered(302, "Location: http://169.254.169.254/"),
            400,
            "url_not_allowed",
            id="elsewhere",
        ),
    ],
)
async def test_what_cannot_be_fetched(
    start: StartService, content: bytes, status: int, code: str
) -> None:
    async with Receiver(lambda _: content).running() as receiver:
        service = await start(url_sources=allowed(receiver), max_body_bytes=1024)
        asked = {"url": f"http://127.0.0.1:{receiver.port}/a.pdf"}
        answer = await service.client.post(PARSE, json=asked)
        assert (answer.status_code, answer.json()["code"]) == (status, code)


async def test_addresses_are_asked_nowhere_by_default(start: StartService) -> None:
    async with Receiver().running() as receiver:
        service = await start()
        asked = {"url": f"http://127.0.0.1:{receiver.port}/a.pdf"}
        answer = await service.client.post(PARSE, json=asked)
        assert (answer.status_code, answer.json()["code"]) == (400, "url_not_allowed")
        assert receiver.connections == 0


@pytest.mark.parametrize("other", ["image_base64", "pages"])
async def test_an_address_stands_alone(start: StartService, other: str) -> None:
    service = await start()
    values: dict[str, Any] = {"image_base64": "YQ==", "pages": ["YQ=="]}
    asked = {"url": "http://example.com/", other: values[other]}
    answer = await service.client.post(PARSE, json=asked)
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_request")

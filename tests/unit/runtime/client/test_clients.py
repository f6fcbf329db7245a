"""Both clients: what they send, what they make of answers, and when they try again."""

import inspect
import re
from pathlib import Path
from typing import Any

import httpx
import pytest
from docparser_runtime.client import (
    ApiError,
    AsyncClient,
    BusyError,
    Client,
    ClientError,
    InvalidAnswerError,
    Options,
    TaskGoneError,
    TaskOptions,
    TasksDisabledError,
    TimedOutError,
    UnauthorizedError,
    UnreachableError,
)
from unit.runtime.client.scripts import RESPONSE, TASK, Asking, Script, problem

DOCUMENT = b"document-canary"
OK = httpx.Response(200, json=TASK)


async def test_parse_sends_document_and_options(client: Asking, tmp_path: Path) -> None:
    path = tmp_path / "name-canary.pdf"
    path.write_bytes(DOCUMENT)
    script = Script([httpx.Response(200, json=RESPONSE | {"newer": 1})])
    answer = await client.ask(script, "parse", path, Options(max_new_tokens=7, password="pä"))
    assert answer.content == "# A"
    (request,) = script.requests
    assert (request.method, request.url.path) == ("POST", "/v1/document/parse")
    assert request.headers["authorization"] == "Bearer t0ken"
    fields = re.findall(rb'name="(\w+)".*?\r\n\r\n(.*?)\r\n--', request.content, re.DOTALL)
    assert set(fields) == {
        (b"max_new_tokens", b"7"),
        (b"password", "pä".encode()),
        (b"file", DOCUMENT),
    }
    assert b"canary.pdf" not in request.content


async def test_a_document_that_becomes_a_task_is_waited_for(client: Asking) -> None:
    ended = httpx.Response(200, json=TASK | {"status": "done"})
    script = Script([httpx.Response(202, json=TASK), ended, httpx.Response(200, json=RESPONSE)])
    assert (await client.ask(script, "parse", DOCUMENT)).content == "# A"
    assert script.requests[-1].url.path == "/v1/document/tasks/t1/result"


async def test_submit_sends_a_key_that_belongs_to_the_document(client: Asking) -> None:
    asked: list[tuple[bytes, TaskOptions]] = [
        (DOCUMENT, TaskOptions()),
        (DOCUMENT, TaskOptions()),
        (DOCUMENT, TaskOptions(priority="high")),
        (b"other", TaskOptions()),
    ]
    keys = []
    for document, options in asked:
        script = Script([httpx.Response(202, json=TASK)])
        assert (await client.ask(script, "submit", document, options)).id == "t1"
        keys.append(script.requests[0].headers["idempotency-key"])
    assert keys[0] == keys[1]
    assert len(set(keys)) == 3


async def test_a_key_of_the_callers_own_is_sent(client: Asking) -> None:
    script = Script([httpx.Response(202, json=TASK)])
    await client.ask(script, "submit", DOCUMENT, idempotency_key="mine")
    assert script.requests[0].headers["idempotency-key"] == "mine"


async def test_a_submission_is_sent_again_with_the_same_key(client: Asking) -> None:
    lost = httpx.RemoteProtocolError("canary")
    script = Script([lost, problem("not_ready", 503), httpx.Response(202, json=TASK)])
    assert (await client.ask(script, "submit", DOCUMENT)).id == "t1"
    assert len({request.headers["idempotency-key"] for request in script.requests}) == 1
    assert len(script.requests) == 3


@pytest.mark.parametrize(
    ("method", "verb", "path"),
    [
        ("task", "GET", "/v1/document/tasks/t1?wait=0.000"),
        ("cancel", "DELETE", "/v1/document/tasks/t1"),
    ],
)
async def test_requests_about_a_task(client: Asking, method: str, verb: str, path: str) -> None:
    script = Script([OK])
    assert (await client.ask(script, method, "t1")).id == "t1"
    (request,) = script.requests
    assert (request.method, request.url.raw_path.decode()) == (verb, path)


async def test_the_result(client: Asking) -> None:
    script = Script([httpx.Response(200, json=RESPONSE)])
    assert (await client.ask(script, "result", "t1")).pages[0].markdown == "# A"
    assert script.requests[0].url.path == "/v1/document/tasks/t1/result"


async def test_wait_asks_until_the_end(client: Asking) -> None:
    ends = [httpx.Response(200, json=TASK | {"status": s}) for s in ("running", "failed")]
    script = Script([OK, *ends])
    assert (await client.ask(script, "wait", "t1")).status == "failed"
    assert {request.url.params["wait"] for request in script.requests} == {"60.000"}


async def test_wait_ends_when_told_to(client: Asking) -> None:
    with pytest.raises(TimedOutError):
        await client.ask(Script([OK]), "wait", "t1", timeout_seconds=0)


async def test_an_id_that_would_lead_elsewhere_is_refused(client: Asking) -> None:
    for name in ("", "..", "a/b", "a?b", "a\n"):
        with pytest.raises(ValueError, match="no id"):
            await client.ask(Script([]), "task", name)


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (problem("document_corrupt", 422), ApiError),
        (problem("unauthorized", 401), UnauthorizedError),
        (problem("forbidden", 403), UnauthorizedError),
        (problem("tasks_disabled", 404), TasksDisabledError),
        (problem("task_not_found", 404), TaskGoneError),
        (problem("task_expired", 410), TaskGoneError),
    ],
)
async def test_refusals_have_a_type(
    client: Asking, reply: httpx.Response, kind: type[ApiError]
) -> None:
    with pytest.raises(ApiError) as raised:
        await client.ask(Script([reply]), "result", "t1")
    error = raised.value
    assert type(error) is kind
    assert (error.code, error.status) == (reply.json()["code"], reply.status_code)
    assert (error.detail, error.request_id) == ("Why.", "r9")


@pytest.mark.parametrize(("code", "status"), [("queue_full", 429), ("not_ready", 503)])
async def test_a_busy_service_is_asked_again_but_not_for_ever(
    client: Asking, code: str, status: int
) -> None:
    script = Script([problem(code, status)] * 9)
    with pytest.raises(BusyError):
        await client.ask(script, "parse", DOCUMENT)
    assert len(script.requests) == 4


@pytest.mark.parametrize(
    ("failure", "kind", "attempts"),
    [
        (httpx.ConnectError("canary"), UnreachableError, 4),
        (httpx.ConnectTimeout("canary"), UnreachableError, 4),
        (httpx.ReadError("canary"), UnreachableError, 4),
        (httpx.ReadTimeout("canary"), TimedOutError, 1),
        (httpx.UnsupportedProtocol("canary"), InvalidAnswerError, 1),
    ],
)
async def test_failures_of_the_connection(
    client: Asking, failure: httpx.TransportError, kind: type[ClientError], attempts: int
) -> None:
    script = Script([failure] * 9)
    with pytest.raises(kind) as raised:
        await client.ask(script, "parse", DOCUMENT)
    assert len(script.requests) == attempts
    assert "canary" not in repr(raised.value) + str(raised.value)


@pytest.mark.parametrize(
    "reply",
    [
        httpx.Response(200, text="<html>canary"),
        httpx.Response(200, json={"content": "canary"}),
        httpx.Response(302, text="canary", headers={"location": "http://elsewhere"}),
        httpx.Response(502, text="canary"),
    ],
)
async def test_answers_of_others_are_no_answers_and_are_not_shown(
    client: Asking, reply: httpx.Response
) -> None:
    script = Script([reply])
    with pytest.raises(ClientError) as raised:
        await client.ask(script, "result", "t1")
    shown = repr(raised.value) + str(raised.value)
    assert "canary" not in shown
    assert "t0ken" not in shown
    assert raised.value.__cause__ is None
    assert len(script.requests) == 1


async def test_tasks_are_listed_page_by_page(client: Asking) -> None:
    replies = [
        httpx.Response(200, json={"tasks": [TASK, TASK], "next": "t1"}),
        httpx.Response(200, json={"tasks": [TASK], "next": None}),
    ]
    script = Script(list(replies))
    found = await client.follow(script, "tasks", until=lambda _: False)
    assert len(found) == 3
    assert [dict(request.url.params) for request in script.requests] == [
        {"limit": "100"},
        {"limit": "100", "after": "t1"},
    ]


@pytest.mark.parametrize("kind", [Client, AsyncClient])
@pytest.mark.parametrize("url", ["", "name:8080", "ftp://name", "http://"])
def test_an_address_that_is_none(kind: type[Client] | type[AsyncClient], url: str) -> None:
    with pytest.raises(ValueError, match="address of a service"):
        kind(url)


def test_both_clients_offer_the_same() -> None:
    def offered(kind: type) -> dict[str, list[str]]:
        public: dict[str, Any] = {n: m for n, m in vars(kind).items() if not n.startswith("_")}
        return {name: list(inspect.signature(method).parameters) for name, method in public.items()}

    assert offered(Client) == offered(AsyncClient)
    assert len(offered(Client)) > 8

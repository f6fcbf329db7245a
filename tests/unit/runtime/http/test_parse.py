"""What `POST /v1/document/parse` takes, and what it answers."""

import base64
from typing import Any

import httpx
import pytest
from unit.runtime.doubles import PARSE, Service, StartService, a_document


def encoded(document: bytes) -> str:
    return base64.b64encode(document).decode()


def code_of(response: httpx.Response) -> str:
    assert response.headers["content-type"] == "application/problem+json"
    problem = response.json()
    assert set(problem) == {"type", "title", "status", "code", "detail", "request_id"}
    assert problem["status"] == response.status_code
    assert problem["request_id"] == response.headers["x-request-id"]
    return str(problem["code"])


async def test_an_upload_is_answered_page_by_page(service: Service) -> None:
    answer = await service.client.post(PARSE, files={"file": ("a.pdf", a_document(pages=2))})
    assert answer.status_code == 200
    body = answer.json()
    first = "page 0 of 30 pixels, None tokens"
    assert body["pages"][0] | {"seconds": 0} == {
        "index": 0,
        "width": 30,
        "height": 20,
        "markdown": f"# {first}",
        "text": first,
        "blocks": [
            {
                "kind": "title",
                "text": first,
                "markdown": f"# {first}",
                "box": [0, 1, 2, 3],
                "confidence": 0.5,
                "level": 1,
            }
        ],
        "vision_tokens": 7,
        "generated_tokens": 0,
        "tier": None,
        "lowered": False,
        "truncated": False,
        "repetition": False,
        "rotation_degrees": 0.0,
        "seconds": 0,
    }
    assert [page["index"] for page in body["pages"]] == [0, 1]
    assert body["content"] == "\n\n".join(page["markdown"] for page in body["pages"])
    assert body["model"] == "scripted"
    assert body["vision_tokens"] == 14
    assert body["repaired"] is False
    assert body["timings"]["queue"] >= 0
    assert body["timings"]["parse"] >= sum(page["seconds"] for page in body["pages"])


@pytest.mark.parametrize(
    "request_of",
    [
        lambda document: {"json": {"image_base64": encoded(document)}},
        lambda document: {"json": {"image_base64": base64.encodebytes(document).decode()}},
        lambda document: {"json": {"pages": [encoded(document)], "max_new_tokens": None}},
        lambda document: {"files": {"file": ("x", document, "image/png")}},
        lambda document: {"content": document, "headers": {"content-type": "application/pdf"}},
        lambda document: {"content": document, "headers": {"content-type": "IMAGE/PNG; a=b"}},
    ],
)
async def test_every_form_of_a_request_is_read(service: Service, request_of: Any) -> None:
    answer = await service.client.post(PARSE, **request_of(a_document()))
    assert answer.status_code == 200, answer.text
    assert len(answer.json()["pages"]) == 1


async def test_pages_keep_their_order_across_images(service: Service) -> None:
    pages = [encoded(a_document(pages=count)) for count in (1, 2, 1)]
    body = (await service.client.post(PARSE, json={"pages": pages})).json()
    assert [page["index"] for page in body["pages"]] == [0, 1, 2, 3]
    assert [page["width"] for page in body["pages"]] == [30, 30, 31, 30]
    assert [page["text"].split(" of")[0] for page in body["pages"]] == [
        "page 0",
        "page 1",
        "page 2",
        "page 3",
    ]


async def test_a_generating_engine_gets_the_token_limit(service: Service) -> None:
    service.engine.generates = True
    for request in (
        {"json": {"image_base64": encoded(a_document()), "max_new_tokens": 9}},
        {"files": {"file": ("a", a_document())}, "data": {"max_new_tokens": "9"}},
    ):
        body = (await service.client.post(PARSE, **request)).json()
        assert body["pages"][0]["text"].endswith(" 9 tokens")


async def test_an_engine_that_does_not_generate_refuses_a_token_limit(service: Service) -> None:
    answer = await service.client.post(
        PARSE, json={"image_base64": encoded(a_document()), "max_new_tokens": 9}
    )
    assert (answer.status_code, code_of(answer)) == (422, "unsupported_parameter")


@pytest.mark.parametrize(
    ("password", "expected"),
    [(None, "password_required"), ("wrong", "password_invalid"), ("right", None)],
)
async def test_passwords(service: Service, password: str | None, expected: str | None) -> None:
    document = a_document(password="right")
    data = {} if password is None else {"password": password}
    form = await service.client.post(PARSE, files={"file": ("a", document)}, data=data)
    body = await service.client.post(PARSE, json={"image_base64": encoded(document), **data})
    for answer in (form, body):
        assert answer.status_code == (200 if expected is None else 422)
        assert expected is None or code_of(answer) == expected


async def test_a_repaired_document_says_so_and_is_counted(service: Service) -> None:
    answer = await service.client.post(PARSE, files={"file": ("a", a_document(repaired=True))})
    assert answer.json()["repaired"] is True
    assert await service.metric("docparser_documents_repaired_total") == 1


@pytest.mark.parametrize(
    "request_of",
    [
        {"json": {}},
        {"json": {"image_base64": ""}},
        {"json": {"pages": [""]}},
        {"json": {"image_base64": None}},
        {"content": b"", "headers": {"content-type": "application/json"}},
        {"content": b" ", "headers": {"content-type": "application/json"}},
        {"content": b"", "headers": {"content-type": "application/pdf"}},
        {"files": {"file": ("a.pdf", b"")}},
        {"files": {"password": (None, "x")}},
        {"content": b"--b--\r\n", "headers": {"content-type": "multipart/form-data; boundary=b"}},
    ],
)
async def test_no_document(service: Service, request_of: Any) -> None:
    answer = await service.client.post(PARSE, **request_of)
    assert (answer.status_code, code_of(answer)) == (400, "empty_document")


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"content-type": "text/html"},
        {"content-type": "application/x-www-form-urlencoded"},
        {"content-type": "application/pdf", "content-encoding": "gzip"},
    ],
)
async def test_bodies_of_other_kinds(service: Service, headers: dict[str, str]) -> None:
    answer = await service.client.post(PARSE, content=a_document(), headers=headers)
    assert (answer.status_code, code_of(answer)) == (415, "unsupported_media_type")


async def test_the_content_decides_the_kind(service: Service) -> None:
    answer = await service.client.post(PARSE, files={"file": ("a.pdf", b"<html>", "image/png")})
    assert (answer.status_code, code_of(answer)) == (415, "unsupported_media_type")


async def test_pages_are_counted_over_all_images(start: StartService) -> None:
    service = await start(max_pages=3)
    pages = [encoded(a_document(pages=2))] * 2
    answer = await service.client.post(PARSE, json={"pages": pages})
    assert (answer.status_code, code_of(answer)) == (422, "too_many_pages")
    assert service.reader.opened == service.reader.closed == 2


async def test_an_engine_failure_tells_nothing_and_the_service_lives(service: Service) -> None:
    def fail(*_: object) -> Any:
        raise SystemExit("secret text of the document")

    reading, service.engine.read = service.engine.read, fail
    answer = await service.client.post(PARSE, files={"file": ("a", a_document())})
    assert (answer.status_code, code_of(answer)) == (500, "engine_failed")
    (line,) = service.log_lines("engine_failed")
    assert (line["request_id"], line["page"]) == (answer.headers["x-request-id"], 0)
    assert "secret" not in answer.text + service.log.getvalue()
    service.engine.read = reading
    assert (
        await service.client.post(PARSE, files={"file": ("a", a_document())})
    ).status_code == 200


@pytest.mark.parametrize(
    ("accept", "expected"),
    [
        ("*/*", "application/json"),
        ("", "application/json"),
        ("application/json", "application/json"),
        ("application/*", "application/json"),
        ("text/markdown", "text/markdown; charset=utf-8"),
        ("text/*;q=0.5, application/json;q=0.1", "text/markdown; charset=utf-8"),
        ("image/gif, */*;q=0.1", "application/json"),
        ("application/json;q=0, */*", "text/markdown; charset=utf-8"),
        ("image/gif", None),
        ("application/json;q=0", None),
        ("application/json;q=nonsense", None),
    ],
)
async def test_accept(service: Service, accept: str, expected: str | None) -> None:
    answer = await service.client.post(
        PARSE, files={"file": ("a", a_document())}, headers={"accept": accept}
    )
    if expected is None:
        assert (answer.status_code, code_of(answer)) == (406, "not_acceptable")
    else:
        assert answer.headers["content-type"] == expected
        assert ("request_id" in answer.text) == (expected == "application/json")


@pytest.mark.parametrize(
    ("sent", "is_kept"),
    [("abc-1.2_3", True), ("a" * 64, True), ("a" * 65, False), ("a b", False), ("", False)],
)
async def test_request_ids(service: Service, sent: str, is_kept: bool) -> None:  # noqa: FBT001
    answer = await service.client.post(
        PARSE, files={"file": ("a", a_document())}, headers={"x-request-id": sent}
    )
    returned = answer.headers["x-request-id"]
    assert (returned == sent) == is_kept
    assert answer.json()["request_id"] == returned


async def test_a_query_is_refused(service: Service) -> None:
    answer = await service.client.post(
        f"{PARSE}?max_new_tokens=5&password=hunter2", files={"file": ("a", a_document())}
    )
    assert (answer.status_code, code_of(answer)) == (400, "invalid_request")
    assert "max_new_tokens, password" in answer.json()["detail"]
    assert "hunter2" not in answer.text


async def test_before_loading_there_is_nothing_to_ask(start: StartService) -> None:
    service = await start(loaded=False)
    answer = await service.client.post(PARSE, files={"file": ("a", a_document())})
    assert (answer.status_code, code_of(answer)) == (503, "not_ready")
    assert int(answer.headers["retry-after"]) > 0

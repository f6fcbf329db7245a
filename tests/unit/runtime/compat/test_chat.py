"""`POST /v1/chat/completions` and `GET /v1/models`, in the shapes that their clients know."""

import asyncio
import json
from typing import Any

import pytest
from docparser_runtime.engine.base import PageResult
from docparser_runtime.uploads import MOST_JSON_BYTES
from unit.runtime.compat.chats import CHAT, TEXT, ask, asked, image
from unit.runtime.doubles import (
    ScriptedEngine,
    Service,
    StartService,
    eventually,
)


async def test_an_image_is_read(service: Service) -> None:
    answer = await ask(service)
    assert answer.status_code == 200
    body = answer.json()
    assert body.pop("created") > 1_700_000_000
    request_id = answer.headers["x-request-id"]
    message = {"role": "assistant", "content": TEXT, "refusal": None}
    assert body == {
        "id": f"chatcmpl-{request_id}",
        "object": "chat.completion",
        "model": "scripted",
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 7, "completion_tokens": 9, "total_tokens": 16},
    }


async def test_text_beside_the_image_is_accepted(service: Service) -> None:
    text = {"type": "text", "text": "Read this, please."}
    body = asked(text, image())
    body["messages"].insert(0, {"role": "system", "content": "You read documents."})
    answer = await service.client.post(CHAT, json=body)
    assert answer.json()["choices"][0]["message"]["content"] == TEXT


@pytest.mark.parametrize(
    "neutral",
    [
        {"temperature": 0},
        {"temperature": 0.0, "top_p": 1, "seed": 42, "n": 1},
        {"presence_penalty": 0, "frequency_penalty": 0.0, "logprobs": False},
        {"response_format": {"type": "text"}, "user": "me", "stream": False},
        {"temperature": None, "max_tokens": None, "stream_options": None},
    ],
)
async def test_fields_without_effect_are_accepted_where_they_ask_for_nothing(
    service: Service, neutral: dict[str, Any]
) -> None:
    assert (await ask(service, **neutral)).status_code == 200


@pytest.mark.parametrize(
    "field",
    [
        {"temperature": 0.1},
        {"top_p": 0.9},
        {"n": 2},
        {"logprobs": True},
        {"presence_penalty": 1},
        {"frequency_penalty": -1},
        {"response_format": {"type": "json_object"}},
        {"tools": []},
        {"stop": ["x"]},
        {"logit_bias": {}},
        {"max_output_tokens": 5},
    ],
)
async def test_fields_that_would_have_no_effect_are_refused(
    service: Service, field: dict[str, Any]
) -> None:
    answer = await ask(service, **field)
    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (400, "unsupported_parameter")
    assert error["type"] == "invalid_request_error"
    assert error["param"].partition(".")[0] == next(iter(field))


@pytest.mark.parametrize("name", ["max_tokens", "max_completion_tokens"])
async def test_engines_that_generate_honour_the_limit(
    start: StartService, engine: ScriptedEngine, name: str
) -> None:
    engine.generates = True
    answer = await ask(await start(), **{name: 5})
    assert "5 tokens" in answer.json()["choices"][0]["message"]["content"]


@pytest.mark.parametrize(
    ("changes", "status", "code", "param"),
    [
        ({"model": "gpt-x"}, 404, "model_not_found", "model"),
        ({"messages": []}, 400, "invalid_request", "messages"),
        (
            {"messages": [{"role": "user", "content": "no image"}]},
            400,
            "invalid_request",
            "messages",
        ),
        ({"max_tokens": 0, "max_completion_tokens": 9}, 400, "invalid_request", "max_tokens"),
        ({"stream_options": {"include_usage": True}}, 400, "invalid_request", "stream_options"),
        ({"model": 1}, 400, "invalid_request", "model"),
    ],
)
async def test_requests_that_are_wrong(
    service: Service, changes: dict[str, Any], status: int, code: str, param: str
) -> None:
    answer = await ask(service, **changes)
    assert answer.status_code == status
    error = answer.json()["error"]
    assert (error["code"], error["param"]) == (code, param)


@pytest.mark.parametrize(
    "parts",
    [
        [image(), image()],
        [{"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}],
        [{"type": "image_url", "image_url": {"url": "data:image/png,plain"}}],
        [{"type": "image_url", "image_url": {"url": "data:text/html;base64,AAAA"}}],
        [{"type": "image_url", "image_url": {"url": "data:image/png;base64,canary!"}}],
        [{"type": "image_url", "image_url": {"url": image()["image_url"]["url"], "detail": "low"}}],
        [{"type": "image_url", "text": "x"}],
        [image(), {"type": "text"}],
        [image(), {"type": "input_audio", "input_audio": {}}],
    ],
)
async def test_messages_that_are_not_one_image(service: Service, parts: list[Any]) -> None:
    answer = await service.client.post(CHAT, json=asked(*parts))
    assert answer.status_code == 400
    assert answer.json()["error"]["param"].startswith("messages")
    assert "canary" not in answer.text


@pytest.mark.parametrize("role", ["system", "assistant", "tool"])
async def test_only_the_user_shows_images(service: Service, role: str) -> None:
    messages = [{"role": role, "content": [image()]}]
    assert (await ask(service, messages=messages)).status_code == 400


async def test_faults_of_the_image_keep_their_code(service: Service) -> None:
    for content, status, code in [
        (b"x", 415, "unsupported_media_type"),
        (b"", 400, "empty_document"),
    ]:
        answer = await service.client.post(CHAT, json=asked(image(content)))
        assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)


async def test_other_bodies_and_query_parameters_are_refused(service: Service) -> None:
    answer = await service.client.post(CHAT, content=b"{}", headers={"content-type": "text/plain"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (415, "unsupported_media_type")
    answer = await service.client.post(
        CHAT, content=b"{", headers={"content-type": "application/json"}
    )
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "invalid_request")
    answer = await service.client.post(f"{CHAT}?x=1", json=asked())
    assert answer.json()["error"]["message"] == "Unknown query parameters: x."


async def test_the_size_of_bodies_is_limited(service: Service, start: StartService) -> None:
    headers = {"content-type": "application/json"}
    large = b" " * (MOST_JSON_BYTES + 1)
    answer = await service.client.post(CHAT, content=large, headers=headers)
    assert (answer.status_code, answer.json()["error"]["code"]) == (413, "document_too_large")
    nested = await service.client.post(CHAT, content=b"[" * 5000, headers=headers)
    assert "more elements" in nested.json()["error"]["message"]


async def test_a_full_service_refuses_in_the_same_shape(
    start: StartService, engine: ScriptedEngine
) -> None:
    service = await start(max_concurrency=1, max_queue_length=0)
    engine.hold()
    first = asyncio.create_task(ask(service))
    await eventually(lambda: engine.running == 1)
    answer = await ask(service)
    engine.release()
    assert (await first).status_code == 200
    assert answer.status_code == 429
    assert int(answer.headers["retry-after"]) >= 1
    error = answer.json()["error"]
    assert (error["type"], error["code"]) == ("rate_limit_error", "queue_full")


async def test_a_token_is_asked_for_in_the_same_shape(start: StartService) -> None:
    service = await start(token="s3cr3t")
    for answer in (await ask(service), await service.client.get("/v1/models")):
        assert (answer.status_code, answer.json()["error"]["code"]) == (401, "unauthorized")
    headers = {"authorization": "Bearer s3cr3t"}
    assert (await service.client.post(CHAT, json=asked(), headers=headers)).status_code == 200


async def test_a_failure_of_ours_tells_nothing(start: StartService, engine: ScriptedEngine) -> None:
    def fail(*_: object) -> PageResult:
        raise RuntimeError("canary")

    engine.read = fail
    answer = await ask(await start())
    assert (answer.status_code, answer.json()["error"]["type"]) == (500, "server_error")
    assert "canary" not in answer.text


async def test_requests_count_like_all_others(service: Service) -> None:
    await ask(service)
    await ask(service, n=2)
    lines = [(line["route"], line["code"], line["pages"]) for line in service.log_lines("request")]
    assert lines == [(CHAT, "ok", 1), (CHAT, "unsupported_parameter", 0)]
    assert await service.metric("docparser_pages_total") == 1
    assert service.context.budget.taken_bytes == 0


async def test_the_model_goes_by_its_name_and_its_engine(service: Service) -> None:
    answer = await service.client.get("/v1/models")
    assert answer.json()["object"] == "list"
    names = [model["id"] for model in answer.json()["data"]]
    assert names == ["scripted", "fake"]
    for name in names:
        assert (await ask(service, model=name)).json()["model"] == "scripted"


async def test_the_interface_is_described(service: Service) -> None:
    document = (await service.client.get("/openapi.json")).json()
    operation = document["paths"][CHAT]["post"]
    schema = operation["requestBody"]["content"]["application/json"]["schema"]
    assert "$ref" not in json.dumps(schema)
    assert {"model", "messages"} == set(schema["required"])
    assert {"400", "401", "404", "413", "415", "422", "429", "503"} <= set(operation["responses"])
    for status, described in operation["responses"].items():
        for media_type, content in described["content"].items():
            if status != "200":
                assert media_type == "application/json"
                assert content["schema"]["$ref"] == "#/components/schemas/ChatError"

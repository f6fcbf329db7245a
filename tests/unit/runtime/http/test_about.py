"""Probes, metrics, configuration, documentation, wrong paths and tokens."""

import json
import re
from typing import Any

import pytest
from docparser_api import names
from docparser_runtime import writing
from docparser_runtime.engine.base import EngineLoadError
from docparser_runtime.lifecycle import Phase
from unit.runtime.doubles import PARSE, Service, StartService, a_document

PROBES = (names.PATH_LIVE, names.PATH_STARTUP, names.PATH_READY)


async def probes(service: Service) -> list[tuple[int, str]]:
    answers = [await service.client.get(path) for path in PROBES]
    return [(answer.status_code, answer.json()["reason"]) for answer in answers]


async def test_probes_while_loading(start: StartService) -> None:
    service = await start(loaded=False)
    assert await probes(service) == [(200, "alive"), (503, "loading"), (503, "loading")]
    assert await service.metric("docparser_engine_ready") == 0


async def test_probes_when_loaded(service: Service) -> None:
    assert await probes(service) == [(200, "alive"), (200, "ready"), (200, "ready")]
    assert await service.metric("docparser_engine_ready") == 1


async def test_a_draining_pod_is_not_ready_but_serves_and_closes(service: Service) -> None:
    service.context.lifecycle.drain()
    assert await probes(service) == [(200, "alive"), (200, "ready"), (503, "draining")]
    answer = await service.client.post(PARSE, files={"file": ("a", a_document())})
    assert (answer.status_code, answer.headers["connection"]) == (200, "close")


@pytest.mark.parametrize(
    ("failure", "reason"),
    [
        (EngineLoadError("weights_invalid: model.onnx"), "weights_invalid: model.onnx"),
        (ValueError("no such file"), "no such file"),
        (SystemExit("no"), "SystemExit('no')"),
    ],
)
async def test_a_load_that_fails_is_told(
    start: StartService, failure: BaseException, reason: str
) -> None:
    service = await start(loaded=False)

    def fail() -> None:
        raise failure

    service.engine.on_load = fail
    assert not await service.context.lifecycle.load(service.engine, service.reader)
    assert service.context.lifecycle.phase is Phase.FAILED
    assert await probes(service) == [(200, "alive"), (503, "failed"), (503, "failed")]
    assert service.log_lines("engine_load_failed")[0]["reason"] == reason


async def test_config_is_the_whole_effective_configuration(start: StartService) -> None:
    service = await start(max_concurrency=3, token="s3cr3t")
    answer = await service.client.get(names.PATH_CONFIG, headers={"authorization": "Bearer s3cr3t"})
    body = answer.json()
    assert body["runtime"] == service.context.config.model_dump(mode="json", by_alias=True)
    assert body["runtime"]["maxConcurrency"] == 3
    assert body["model"] == {"engine": "fake", "name": None, "weights": None}
    assert "s3cr3t" not in answer.text


@pytest.mark.parametrize("path", ["/nope", PARSE + "/", "/v1", "/docs/x", "/%00", "/..%2f"])
async def test_unknown_paths(service: Service, path: str) -> None:
    answer = await service.client.get(path)
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
    assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "PATCH", "OPTIONS", "BREW"])
async def test_other_methods(service: Service, method: str) -> None:
    answer = await service.client.request(method, PARSE)
    assert (answer.status_code, answer.json()["code"]) == (405, "method_not_allowed")
    assert answer.headers["allow"] == "POST"
    for path, methods in (
        (names.PATH_TASKS, "GET, POST"),
        (f"{names.PATH_TASKS}/1", "DELETE, GET"),
    ):
        answer = await service.client.put(path)
        assert (answer.status_code, answer.headers["allow"]) == (405, methods)
    assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize("path", [PARSE, names.PATH_CONFIG, "/docs", "/openapi.json", "/x"])
@pytest.mark.parametrize(
    "header", [None, "", "Bearer", "Bearer wrong", "Basic s3cr3t", "s3cr3t", "Bearer s3cr3t x"]
)
async def test_without_the_token_nothing_is_told(
    start: StartService, path: str, header: str | None
) -> None:
    service = await start(token="s3cr3t")
    headers = {} if header is None else {"authorization": header}
    answer = await service.client.get(path, headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (401, "unauthorized")
    assert answer.headers["www-authenticate"].startswith("Bearer")
    assert "s3cr3t" not in answer.text + service.log.getvalue()


async def test_with_the_token_all_is_open_and_probes_need_none(start: StartService) -> None:
    service = await start(token="s3cr3t")
    for path in (*PROBES, names.PATH_METRICS):
        assert (await service.client.get(path)).status_code == 200
    for scheme in ("Bearer", "bearer"):
        answer = await service.client.post(
            PARSE,
            files={"file": ("a", a_document())},
            headers={"authorization": f"{scheme} s3cr3t"},
        )
        assert answer.status_code == 200


async def test_requests_are_counted_by_status_and_code(service: Service) -> None:
    await service.client.post(PARSE, files={"file": ("a", a_document(pages=2))})
    await service.client.post(PARSE, files={"file": ("a", b"")})
    await service.client.get("/nope/whatever")
    await service.client.get(names.PATH_LIVE)
    text = (await service.client.get("/metrics")).text
    counts = set(re.findall(r"^docparser_requests_total.*", text, re.MULTILINE))
    assert counts == {
        f'docparser_requests_total{{code="ok",route="{PARSE}",status="200"}} 1.0',
        f'docparser_requests_total{{code="empty_document",route="{PARSE}",status="400"}} 1.0',
        'docparser_requests_total{code="not_found",route="unmatched",status="404"} 1.0',
    }
    assert await service.metric("docparser_pages_total") == 2
    assert await service.metric("docparser_vision_tokens_total") == 14
    assert await service.metric("docparser_page_duration_seconds_count") == 2
    assert await service.metric("docparser_queue_wait_seconds_count") == 1
    assert await service.metric("docparser_requests_running") == 0
    assert 'docparser_build_info{engine="fake",model="scripted",version="0.1.0"} 1.0' in text
    assert "process_resident_memory_bytes" in text


async def test_metrics_come_in_the_open_metrics_format_too(service: Service) -> None:
    accept = "application/openmetrics-text; version=1.0.0"
    answer = await service.client.get("/metrics", headers={"accept": accept})
    assert answer.headers["content-type"].startswith("application/openmetrics-text")
    assert answer.text.endswith("# EOF\n")


async def test_successes_are_logged_in_part_and_failures_always(start: StartService) -> None:
    service = await start(access_log_percent=0)
    await service.client.post(PARSE, files={"file": ("a", a_document())})
    await service.client.post(PARSE, files={"file": ("a", b"")})
    await service.client.get(names.PATH_READY)
    lines = service.log_lines("request")
    assert [(line["status"], line["code"]) for line in lines] == [(400, "empty_document")]


async def test_the_access_log_names_the_route_and_the_pages(service: Service) -> None:
    headers = {"x-request-id": "mine"}
    await service.client.post(PARSE, files={"file": ("a", a_document(pages=3))}, headers=headers)
    await service.client.get(names.PATH_LIVE)
    (line,) = service.log_lines("request")
    assert line.pop("timestamp")
    assert line.pop("seconds") > 0
    assert line == {
        "event": "request",
        "level": "info",
        "method": "POST",
        "route": PARSE,
        "status": 200,
        "code": "ok",
        "request_id": "mine",
        "pages": 3,
    }


async def test_probes_are_logged_for_developers_only(start: StartService) -> None:
    service = await start(log_level="debug")
    await service.client.get(names.PATH_LIVE)
    assert [line["level"] for line in service.log_lines("request")] == ["debug"]


async def test_an_unexpected_failure_tells_nothing(service: Service) -> None:
    def fail(*_: object) -> Any:
        raise RuntimeError("canary")

    service.reader.open = fail  # type: ignore[assignment,method-assign]
    answer = await service.client.post(PARSE, files={"file": ("a", a_document())})
    assert (answer.status_code, answer.json()["code"]) == (500, "internal_error")
    (line,) = service.log_lines("failed")
    assert line["error"] == "RuntimeError"
    assert any("service.py" in frame for frame in line["trace"])
    assert "canary" not in answer.text + service.log.getvalue()


_OF_TASKS = ("", "/result", "/events", "/pages/{index}/image")


async def test_openapi_is_complete(service: Service) -> None:
    document = (await service.client.get("/openapi.json")).json()
    text = json.dumps(document)
    for name in re.findall(r'"#/components/schemas/(\w+)"', text):
        assert name in document["components"]["schemas"]
    tasks = {names.PATH_TASKS + rest for rest in ("", *(f"/{{task_id}}{r}" for r in _OF_TASKS))}
    own = {PARSE, names.PATH_METRICS, names.PATH_CONFIG, names.PATH_CHAT, names.PATH_MODELS}
    assert set(document["paths"]) == {*own, *PROBES, *tasks}
    operation = document["paths"][PARSE]["post"]
    assert {"application/json", "multipart/form-data", "application/pdf"} <= set(
        operation["requestBody"]["content"]
    )
    problems = {int(status) for status in operation["responses"]} - {200, 202}
    assert problems == {400, 401, 403, 406, 408, 409, 413, 415, 422, 429, 431, 500, 503, 504, 507}
    location = operation["responses"]["202"]["content"]["application/json"]["schema"]["$ref"]
    assert location == "#/components/schemas/TaskBody"
    for status in problems:
        content = operation["responses"][str(status)]["content"]
        assert list(content) == ["application/problem+json"]
    forms = {"application/json", "text/event-stream", "application/pdf", *writing.FORMS}
    assert set(operation["responses"]["200"]["content"]) == forms


async def test_openapi_tells_of_the_token(start: StartService) -> None:
    service = await start(token="s3cr3t")
    document = await service.client.get("/openapi.json", headers={"authorization": "Bearer s3cr3t"})
    assert document.json()["security"] == [{"token": []}]


async def test_the_documentation_needs_nothing_from_elsewhere(service: Service) -> None:
    answer = await service.client.get("/docs")
    assert answer.status_code == 200
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert not re.search(r"(src|href)=[\"']?(https?:)?//|<script|@import|url\(", answer.text)
    for told in (PARSE, "image_base64", "queue_full", "vision_tokens", "1-3,7", "# Report"):
        assert told in answer.text

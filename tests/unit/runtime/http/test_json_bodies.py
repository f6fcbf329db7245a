"""JSON bodies: how large they may be, and that decoding one holds nobody up."""

import asyncio
import base64
import json

import pytest
from docparser_runtime.uploads import MOST_JSON_BYTES
from unit.runtime.doubles import PARSE, Service, StartService, a_document

JSON = {"content-type": "application/json"}


@pytest.mark.parametrize("size", [MOST_JSON_BYTES - 1, MOST_JSON_BYTES])
async def test_json_of_the_largest_size_is_read(service: Service, size: int) -> None:
    content = json.dumps({"image_base64": base64.b64encode(a_document()).decode()})
    answer = await service.client.post(PARSE, content=content.ljust(size), headers=JSON)
    assert answer.status_code == 200


async def test_larger_json_is_refused_with_advice(service: Service) -> None:
    content = b" " * (MOST_JSON_BYTES + 1)
    answer = await service.client.post(PARSE, content=content, headers=JSON)
    assert (answer.status_code, answer.json()["code"]) == (413, "document_too_large")
    for word in (str(MOST_JSON_BYTES), "JSON", "multipart/form-data", "raw"):
        assert word in answer.json()["detail"]
    answer = await service.client.post(
        PARSE, content=content, headers={"content-type": "application/pdf"}
    )
    assert answer.json()["code"] == "unsupported_media_type"  # it has been read


async def test_a_lower_limit_of_all_bodies_holds_for_json(start: StartService) -> None:
    service = await start(max_body_bytes=1024)
    answer = await service.client.post(PARSE, content=b" " * 1025, headers=JSON)
    assert answer.json()["detail"] == "The body is larger than 1024 bytes."


async def test_the_limit_is_documented(service: Service) -> None:
    document = (await service.client.get("/openapi.json")).json()
    described = document["paths"][PARSE]["post"]["requestBody"]["description"]
    assert str(MOST_JSON_BYTES) in described
    assert "multipart/form-data" in described


@pytest.mark.parametrize("end_of_line", ["\n", "\r\n"])
async def test_base64_may_come_in_lines(service: Service, end_of_line: str) -> None:
    text = base64.encodebytes(a_document(pages=2)).decode().replace("\n", end_of_line)
    answer = await service.client.post(PARSE, json={"image_base64": text})
    assert len(answer.json()["pages"]) == 2


async def test_the_event_loop_goes_on_while_json_is_decoded(service: Service) -> None:
    content = json.dumps({"image_base64": base64.b64encode(bytes(20 * 1024**2)).decode()})
    turns = 0

    async def count_turns() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    counting = asyncio.create_task(count_turns())
    answer = await service.client.post(PARSE, content=content, headers=JSON)
    counting.cancel()
    assert answer.status_code == 415
    assert turns > 100  # without a thread about 10

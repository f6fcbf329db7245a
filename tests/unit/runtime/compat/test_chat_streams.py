"""Chats whose answer comes in chunks."""

import pytest
from docparser_runtime.engine.base import PageImage, PageResult, ParseOptions
from docparser_runtime.errors import ResourceLimit
from unit.runtime.compat.chats import CHAT, TEXT, ask, asked, image, told
from unit.runtime.doubles import ScriptedEngine, Service, StartService, a_document


async def test_the_text_comes_in_chunks(service: Service) -> None:
    answer = await ask(service, stream=True)
    assert answer.headers["content-type"].startswith("text/event-stream")
    chunks = told(answer)
    assert {chunk["object"] for chunk in chunks} == {"chat.completion.chunk"}
    assert len({chunk["id"] for chunk in chunks}) == 1
    deltas = [chunk["choices"][0]["delta"] for chunk in chunks]
    assert deltas == [{"role": "assistant", "content": ""}, {"content": TEXT}, {}]
    assert [chunk["choices"][0]["finish_reason"] for chunk in chunks] == [None, None, "stop"]
    assert service.log_lines("request")[0]["pages"] == 1
    assert service.context.budget.taken_bytes == 0


async def test_the_last_chunk_may_tell_the_usage(service: Service) -> None:
    answer = await ask(service, stream=True, stream_options={"include_usage": True})
    last = told(answer)[-1]
    assert last["choices"] == []
    assert last["usage"] == {"prompt_tokens": 7, "completion_tokens": 9, "total_tokens": 16}


async def test_pages_of_an_image_come_in_their_order(service: Service) -> None:
    body = asked(image(a_document(pages=3)), stream=True)
    chunks = told(await service.client.post(CHAT, json=body))
    text = "".join(chunk["choices"][0]["delta"].get("content", "") for chunk in chunks)
    whole = await service.client.post(CHAT, json=asked(image(a_document(pages=3))))
    assert text == whole.json()["choices"][0]["message"]["content"]
    assert text.count("# page") == 3


async def test_faults_that_are_known_before_the_text_have_a_status(service: Service) -> None:
    body = asked(image(b"no document"), stream=True)
    answer = await service.client.post(CHAT, json=body)
    assert (answer.status_code, answer.json()["error"]["code"]) == (415, "unsupported_media_type")
    assert service.context.budget.taken_bytes == 0


async def test_later_faults_are_told_in_the_stream(
    start: StartService, engine: ScriptedEngine
) -> None:
    def fail(*_: object) -> PageResult:
        raise ResourceLimit("Too much.")

    engine.read = fail
    service = await start()
    chunks = told(await ask(service, stream=True))
    assert chunks[-1]["error"]["code"] in {"resource_limit", "engine_failed"}


@pytest.mark.parametrize("flag", ["truncated", "repetition"])
async def test_a_text_that_is_cut_off_says_so(
    start: StartService, engine: ScriptedEngine, flag: str
) -> None:
    def read(_: PageImage, __: ParseOptions) -> PageResult:
        return PageResult("half", **{flag: True})  # type: ignore[arg-type]

    engine.read = read
    service = await start()
    assert (await ask(service)).json()["choices"][0]["finish_reason"] == "length"
    chunks = told(await ask(service, stream=True))
    assert chunks[-1]["choices"][0]["finish_reason"] == "length"

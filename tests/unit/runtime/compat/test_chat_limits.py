"""`max_tokens`, which nearly every tool sends: the text is cut there, and says so."""

from typing import Any

import httpx
import pytest
from docparser_runtime.compat.tokens import Saying
from docparser_runtime.engine.base import PageResult
from unit.runtime.compat.chats import CHAT, TEXT, ask, asked, image, told
from unit.runtime.doubles import ScriptedEngine, Service, StartService, a_document

CUT = TEXT[:20]  # five tokens of four bytes


def end_of(answer: httpx.Response) -> tuple[str, str, int]:
    """Return the text, why it ends, and its tokens."""
    (choice,) = answer.json()["choices"]
    tokens = answer.json()["usage"]["completion_tokens"]
    return choice["message"]["content"], choice["finish_reason"], tokens


@pytest.mark.parametrize(
    "limit",
    [
        {"max_tokens": 5},
        {"max_completion_tokens": 5},
        {"max_tokens": 5, "max_completion_tokens": 6},
        {"max_tokens": 128_000, "max_completion_tokens": 5},
    ],
)
async def test_a_text_is_cut_at_the_limit(service: Service, limit: dict[str, Any]) -> None:
    assert end_of(await ask(service, **limit)) == (CUT, "length", 5)


@pytest.mark.parametrize("limit", [9, 16_384, 200_000, 2**31 - 1])
async def test_a_limit_that_is_not_reached_changes_nothing(service: Service, limit: int) -> None:
    assert end_of(await ask(service, max_tokens=limit)) == (TEXT, "stop", 9)


async def test_chunks_are_cut_alike(service: Service) -> None:
    options = {"include_usage": True}
    body = asked(image(a_document(pages=3)), stream=True, stream_options=options, max_tokens=12)
    chunks = told(await service.client.post(CHAT, json=body))
    choices = [choice for chunk in chunks for choice in chunk["choices"]]
    text = "".join(choice["delta"].get("content", "") for choice in choices)
    assert text == (TEXT + "\n\n" + TEXT.replace("page 0", "page 1"))[:48]
    assert choices[-1]["finish_reason"] == "length"
    assert chunks[-1]["usage"] == {
        "prompt_tokens": 21,
        "completion_tokens": 12,
        "total_tokens": 33,
    }


async def test_engines_that_generate_keep_the_limit_themselves(
    start: StartService, engine: ScriptedEngine
) -> None:
    engine.generates = True
    service = await start()
    for limit, passed in ((5, 5), (200_000, 32_768)):
        text, reason, _ = end_of(await ask(service, max_tokens=limit))
        assert (text, reason) == (TEXT.replace("None", str(passed)), "stop")


async def test_no_character_is_torn(start: StartService, engine: ScriptedEngine) -> None:
    engine.read = lambda *_: PageResult("漢字かな")
    service = await start()
    assert end_of(await ask(service, max_tokens=1)) == ("漢", "length", 1)
    assert end_of(await ask(service, max_tokens=3)) == ("漢字かな", "stop", 3)


def test_nothing_follows_what_was_cut() -> None:
    saying = Saying(1)
    assert [saying.add(text) for text in ("ab", "cä", "d")] == ["ab", "c", ""]
    assert (saying.is_cut, saying.tokens) == (True, 1)

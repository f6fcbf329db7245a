"""Two services are asked over real connections."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest
from docparser_api.golden import Failure, Side
from docparser_api.runtime import FakeConfig
from docparser_runtime.engine.fake import FakeEngine
from docparser_runtime.golden.client import LONGEST_ANSWER_BYTES, Answer, answers
from docparser_runtime.golden.documents import GoldenDocument, GoldenError, documents_in
from docparser_runtime.golden.report import report
from starlette.responses import PlainTextResponse, Response
from unit.runtime.doubles import ScriptedEngine, a_document
from unit.runtime.golden.servers import Scripted, listening, service_of

pytestmark = pytest.mark.thorough  # servers of its own

TEXT = "# Title\n\nA known text."
PATIENCE_SECONDS = 20.0


def engine_of(text: str, **config: int) -> FakeEngine:
    return FakeEngine(FakeConfig(text=text, **config))


def both(url: str) -> dict[Side, str]:
    return {"canary": url, "stable": url}


def markdown(text: str) -> Response:
    return Response(text, media_type="text/markdown")


@pytest.fixture
def documents(tmp_path: Path) -> tuple[GoldenDocument, ...]:
    for name in ("plain_text__a", "plain_text__b", "c"):
        (tmp_path / f"{name}.pdf").write_bytes(a_document())
        (tmp_path / f"{name}.md").write_text(TEXT)
    return documents_in(tmp_path)


async def asked(
    documents: Sequence[GoldenDocument], url: str, seconds: float = PATIENCE_SECONDS
) -> Answer:
    """Return what is found out about the first document."""
    found = await answers(documents[:1], {"canary": url}, None, seconds)
    return found[documents[0].name, "canary"]


async def test_a_canary_that_reads_wrong_is_told_from_the_stable_side(
    documents: tuple[GoldenDocument, ...],
) -> None:
    async with service_of(engine_of("Something else.")) as bad, service_of(engine_of(TEXT)) as good:
        found = report(
            documents,
            await answers(documents, {"canary": bad, "stable": good}, None, PATIENCE_SECONDS),
        )
    assert found.documents == 3
    assert {name: one.documents for name, one in found.classes.items()} == {
        "default": 1,
        "plain_text": 2,
    }
    rate = found.classes["plain_text"].character_error_rate
    assert rate.stable == 0
    assert rate.lower == rate.difference == rate.upper == rate.canary > 0.5
    assert found.classes["default"].reading_order.difference == -1
    assert found.failures == ()


async def test_a_canary_that_fails_is_worst_and_named(
    documents: tuple[GoldenDocument, ...],
) -> None:
    broken = engine_of(TEXT, fail_percent=100)
    async with service_of(broken) as bad, service_of(engine_of(TEXT)) as good:
        found = report(
            documents,
            await answers(documents, {"canary": bad, "stable": good}, None, PATIENCE_SECONDS),
        )
    assert found.failures == tuple(
        Failure(document=document.name, side="canary", code="engine_failed")
        for document in documents
    )
    assert found.classes["plain_text"].character_error_rate.canary == 1


async def test_a_service_that_takes_too_long_has_timed_out(
    documents: tuple[GoldenDocument, ...],
) -> None:
    engine = ScriptedEngine()
    engine.hold()
    async with service_of(engine) as url:
        assert await asked(documents, url, 0.3) == Answer(failure="timeout")
        engine.release()


async def test_no_more_documents_are_asked_for_than_two_at_once(
    documents: tuple[GoldenDocument, ...],
) -> None:
    engine = ScriptedEngine()
    async with service_of(engine, max_concurrency=8) as url:
        urls = both(url)
        found = await answers(documents, urls, None, PATIENCE_SECONDS)
    assert len(found) == 6
    assert all(answer.markdown for answer in found.values())
    assert engine.most_running <= 2


async def test_the_token_opens_the_service(documents: tuple[GoldenDocument, ...]) -> None:
    async with service_of(engine_of(TEXT), token="key") as url:
        urls = both(url)
        found = await answers(documents, urls, "key", PATIENCE_SECONDS)
        assert {answer.markdown for answer in found.values()} == {TEXT}
        with pytest.raises(GoldenError, match="ended with unauthorized"):
            report(documents, await answers(documents, urls, None, PATIENCE_SECONDS))


@pytest.mark.parametrize("status", [429, 503])
async def test_a_busy_service_is_asked_again(
    documents: tuple[GoldenDocument, ...], status: int
) -> None:
    busy = Response("busy", status_code=status, headers={"Retry-After": "0"})
    script = Scripted([busy, busy, markdown(TEXT)])
    async with listening(script) as url:
        assert await asked(documents, url + "/") == Answer(TEXT)
    assert len(script.headers) == 3


async def test_a_wait_that_is_too_long_is_not_begun(documents: tuple[GoldenDocument, ...]) -> None:
    busy = Response("busy", status_code=429, headers={"Retry-After": "300"})
    script = Scripted([busy])
    async with listening(script) as url:
        assert (await asked(documents, url)).failure == "http_429"
    assert len(script.headers) == 1


async def test_patience_with_a_busy_service_ends(documents: tuple[GoldenDocument, ...]) -> None:
    busy = Response("busy", status_code=503, headers={"Retry-After": "0"})
    script = Scripted([busy])
    async with listening(script) as url:
        assert (await asked(documents, url)).failure == "http_503"
    assert len(script.headers) == 6


@pytest.mark.parametrize(
    ("answer", "failure"),
    [
        (PlainTextResponse("not Markdown"), "invalid_answer"),
        (Response(b"\xff", media_type="text/markdown"), "invalid_answer"),
        (markdown("x" * (LONGEST_ANSWER_BYTES + 1)), "answer_too_large"),
        (Response('{"code": "image_too_large"}', status_code=422), "image_too_large"),
        (Response('{"code": "Not a name!"}', status_code=422), "http_422"),
        (Response('["code"]', status_code=500), "http_500"),
        (Response(status_code=302, headers={"Location": "http://elsewhere"}), "http_302"),
    ],
)
async def test_failures_have_names(
    documents: tuple[GoldenDocument, ...], answer: Response, failure: str
) -> None:
    async with listening(Scripted([answer])) as url:
        assert (await asked(documents, url)).failure == failure


async def test_a_service_that_is_not_there_is_unreachable(
    documents: tuple[GoldenDocument, ...],
) -> None:
    async with listening(Scripted([])) as url:
        pass
    assert (await asked(documents, url, 0.5)).failure == "unreachable"


async def test_a_process_that_dies_has_lost_the_connection(
    documents: tuple[GoldenDocument, ...],
) -> None:
    async def hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.transport.abort()

    async with await asyncio.start_server(hang_up, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        found = await asked(documents, f"http://127.0.0.1:{port}")
    assert found == Answer(failure="connection_lost")


@pytest.mark.parametrize("url", ["", "name:8080", "ftp://name", "http://", "http://\x00"])
async def test_an_address_must_be_one(documents: tuple[GoldenDocument, ...], url: str) -> None:
    with pytest.raises(GoldenError, match="no address"):
        await asked(documents, url)

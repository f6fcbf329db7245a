"""Pages on which the engine stopped early or repeated itself are told and counted."""

from dataclasses import replace

from docparser_runtime.engine.base import PageImage, PageResult, ParseOptions
from unit.runtime.doubles import PARSE, Service, a_document

RESULTS = (
    PageResult("whole"),
    PageResult("cut", truncated=True),
    PageResult("and and and", truncated=True, repetition=True),
)


def _flagged(page: PageImage, _: ParseOptions) -> PageResult:
    return replace(RESULTS[page.index])


async def test_flags_reach_the_answer_and_the_metrics(service: Service) -> None:
    service.engine.read = _flagged
    body = (await service.client.post(PARSE, files={"file": ("a", a_document(3))})).json()
    flags = [(page["truncated"], page["repetition"]) for page in body["pages"]]
    assert flags == [(False, False), (True, False), (True, True)]
    assert (body["truncated"], body["repetition"]) == (True, True)
    assert await service.metric("docparser_pages_total") == 3
    assert await service.metric("docparser_pages_truncated_total") == 2
    assert await service.metric("docparser_pages_repetition_total") == 1


async def test_without_flags_nothing_is_told(service: Service) -> None:
    body = (await service.client.post(PARSE, files={"file": ("a", a_document(2))})).json()
    assert (body["truncated"], body["repetition"]) == (False, False)
    assert await service.metric("docparser_pages_truncated_total") == 0
    assert await service.metric("docparser_pages_repetition_total") == 0


async def test_the_api_says_what_the_flags_mean(service: Service) -> None:
    document = (await service.client.get("/openapi.json")).json()
    page = document["components"]["schemas"]["PageBody"]["properties"]
    assert "stopped before the end" in page["truncated"]["description"]
    assert "repeat itself" in page["repetition"]["description"]

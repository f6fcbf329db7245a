"""Figures by layout class."""

from pathlib import Path
from typing import Any

from docparser_runtime.client import ParseResponse
from docparser_runtime.kit.classes import by_class, work_of
from docparser_runtime.kit.figures import Latency, Request, Work
from docparser_runtime.kit.samples import Sample
from unit.runtime.client.scripts import PAGE, RESPONSE

SAMPLES = [Sample(Path(f"{name}.pdf"), name[0]) for name in ("a1", "a2", "b1", "c1")]


def response(*pages: dict[str, Any], **values: Any) -> ParseResponse:
    return ParseResponse.model_validate(
        RESPONSE | values | {"pages": [PAGE | one for one in pages]}
    )


def test_an_answer_tells_what_the_engine_did() -> None:
    pages: list[dict[str, Any]]
    pages = [{"tier": "low", "lowered": True, "truncated": True}, {"tier": "low"}, {"tier": "high"}]
    answer = response(*pages, vision_tokens=300, generated_tokens=900)
    assert work_of(answer) == Work(300, 900, {"low": 2, "high": 1}, 1, 1)
    assert work_of(response({}, {"repetition": True})) == Work(cut_off_pages=1)


def test_requests_are_summed_up_by_class() -> None:
    low = Work(100, 300, {"low": 1})
    requests = [
        Request("a1.pdf", 1, 0, 2, low),
        Request("a2.pdf", 3, 2, 5, Work(300, 900, {"low": 1, "high": 2}, 1, 2)),
        Request("a1.pdf", 1, 5, 6, low),
        Request("b1.pdf", 2, 6, 7),
    ]
    found = by_class(SAMPLES, requests)
    assert list(found) == ["a", "b"]
    first = found["a"]
    assert (first.latency, first.pages, first.p50_seconds_per_page) == (Latency(3, 2, 3), 5, 1.0)
    assert (first.vision_tokens_per_page, first.generated_tokens_per_page) == (100, 300)
    assert first.generated_tokens_per_second == 250
    assert (first.tiers, first.lowered_pages, first.cut_off_pages) == ({"low": 3, "high": 2}, 1, 2)
    other = found["b"]
    assert (other.vision_tokens_per_page, other.generated_tokens_per_page) == (None, None)
    assert (other.generated_tokens_per_second, other.tiers) == (None, {})

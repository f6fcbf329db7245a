"""How text is written, and on what, is measured; where nothing is known nothing is told."""

from dataclasses import replace

from docparser_runtime.engine.base import (
    DeviceUse,
    Generation,
    PageImage,
    PageResult,
    ParseOptions,
)
from unit.runtime.doubles import PARSE, Service, a_document

GENERATED = (
    PageResult("one", generation=Generation(30, 0.25, 0.01, attempts=3)),
    PageResult("two", generation=Generation(1, 0.5)),
    PageResult("", generation=Generation(0)),
    PageResult("not generated"),
)


def _generated(page: PageImage, _: ParseOptions) -> PageResult:
    return replace(GENERATED[page.index])


async def test_generation_is_measured(service: Service) -> None:
    service.engine.read = _generated
    answer = await service.client.post(PARSE, files={"file": ("a", a_document(4))})
    assert [page["generated_tokens"] for page in answer.json()["pages"]] == [30, 1, 0, 0]
    values = {
        name: await service.metric(f"docparser_{name}")
        for name in (
            "generated_tokens_total",
            "page_retries_total",
            "time_to_first_token_seconds_count",
            "time_to_first_token_seconds_sum",
            "time_per_output_token_seconds_count",
            "time_per_output_token_seconds_sum",
        )
    }
    assert list(values.values()) == [31, 2, 2, 0.75, 1, 0.01]


async def test_devices_are_asked_at_each_scrape(service: Service) -> None:
    before = (await service.client.get("/metrics")).text
    assert "docparser_gpu" not in before
    assert "docparser_vram" not in before
    service.engine.used = (DeviceUse("0", 0.5, 7, 9), DeviceUse("1", memory_used_bytes=3))
    text = (await service.client.get("/metrics")).text
    assert 'docparser_gpu_busy_ratio{device="0"} 0.5' in text
    assert 'docparser_vram_peak_bytes{device="0"} 9.0' in text
    assert 'docparser_vram_used_bytes{device="1"} 3.0' in text
    assert text.count('device="1"') == 1
    assert "docparser_vram_planned_bytes" not in text

"""What a service tells of itself."""

import pytest
from docparser_runtime.client import (
    ApiError,
    ClientError,
    InvalidAnswerError,
    TimedOutError,
    UnreachableError,
)
from docparser_runtime.kit.service import Service, code_of, memory

EXPOSITION = b"""# TYPE docparser_pages_total counter
docparser_pages_total 3
# TYPE docparser_vram_used_bytes gauge
docparser_vram_used_bytes{device="0"} 100
docparser_vram_used_bytes{device="1"} 50
# TYPE process_resident_memory_bytes gauge
process_resident_memory_bytes 7
"""


def test_gauges_of_memory_are_summed_over_devices() -> None:
    assert memory(EXPOSITION) == {
        "docparser_vram_used_bytes": 150,
        "process_resident_memory_bytes": 7,
    }


@pytest.mark.parametrize("content", [b"<html>\n", b"\xff\n"])
def test_what_is_no_metrics_is_told(content: bytes) -> None:
    with pytest.raises(InvalidAnswerError):
        memory(content)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (ApiError("document_corrupt", 422, "", ""), "document_corrupt"),
        (TimedOutError(""), "timeout"),
        (UnreachableError(""), "unreachable"),
        (InvalidAnswerError(""), "invalid_answer"),
        (FileNotFoundError(), "unreadable"),
    ],
)
def test_kinds_of_failures(error: ClientError | OSError, code: str) -> None:
    assert code_of(error) == code


async def test_an_address_is_shown_without_its_password() -> None:
    async with Service("http://me:s3cret@host:80/base/", None, 1, 1) as service:
        assert service.address == "http://host/base"

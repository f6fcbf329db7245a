"""What docs/gpu-sizing.md says of GPUs is what the planner says."""

import re
from pathlib import Path

import pytest
from docparser_api.model_sizes import Family
from docparser_api.vram import plan
from docparser_api.vram_demand import engine_demand

PAGE = Path(__file__).parents[3] / "docs" / "gpu-sizing.md"
ROWS = re.findall(r"^\| (.+?) \| (\d+) \| (\d+) \| (\d+) \|$", PAGE.read_text(), re.MULTILINE)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_the_table_is_the_planners(row: tuple[str, str, str, str]) -> None:
    memory_bytes = int(row[1]) * 1024**2
    families = (Family.DEEPSEEK_OCR_2, Family.UNLIMITED_OCR)
    found = [plan(engine_demand(f, memory_bytes, 1)).max_concurrency for f in families]
    assert found == [int(row[2]), int(row[3])]


def test_there_is_a_table() -> None:
    assert len(ROWS) >= 8

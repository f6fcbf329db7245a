import pytest
import torch
from docparser_api.model_sizes import Family
from docparser_runtime.engine.base import EngineLoadError
from docparser_runtime.engine.gpu.sizing import planned_sizes, sizes_for

pytestmark = pytest.mark.thorough  # torch takes seconds to import

GIB = 1024**3


def test_a_large_gpu_has_room_for_all_pages_at_their_longest() -> None:
    sizes = planned_sizes(Family.DEEPSEEK_OCR_2, 141 * GIB, 64, 8192)
    # 1121 tokens of the page, 64 for words, 4096 of the text.
    assert sizes.blocks == 64 * -(-(1121 + 64 + 4096) // 32)
    assert sizes.planned_bytes is not None
    assert 25 * GIB < sizes.planned_bytes < 0.75 * 141 * GIB


def test_a_single_page_may_be_as_long_as_there_are_positions() -> None:
    assert planned_sizes(Family.DEEPSEEK_OCR_2, 141 * GIB, 1, 8192).blocks == 8192 // 32


def test_with_a_window_the_text_takes_four_blocks() -> None:
    sizes = planned_sizes(Family.UNLIMITED_OCR, 141 * GIB, 64, 32_768)
    assert sizes.blocks <= 64 * (-(-(273 + 32 * 110 + 64) // 32) + 4)


def test_what_does_not_fit_is_refused_and_told() -> None:
    with pytest.raises(EngineLoadError, match=r"the GPU has 16\.0 GiB, \d+\.\d GiB are needed; it"):
        planned_sizes(Family.DEEPSEEK_OCR_2, 16 * GIB, 64, 8192)


def test_a_cpu_has_room_for_all_positions() -> None:
    sizes = sizes_for(Family.DEEPSEEK_OCR_2, torch.device("cpu"), 3, 2048)
    assert (sizes.blocks, sizes.planned_bytes) == (3 * 64, None)

import pytest
import torch
from docparser_api.model_sizes import Family
from docparser_runtime.bench.reading import _tokenizer, random_model, read
from docparser_runtime.engine.gpu.assembly import Place, desk_for
from docparser_runtime.engine.gpu.ops.select import PLAIN
from docparser_runtime.engine.gpu.shapes import DecoderShape
from docparser_runtime.engine.gpu.sizing import Sizes
from support import tiny_models

pytestmark = pytest.mark.thorough  # torch and transformers take seconds to import


def test_all_pages_are_read_and_timed() -> None:
    place = Place(torch.device("cpu"), torch.float32, PLAIN)
    config = tiny_models.deepseek_ocr2().config.to_dict()
    model = random_model(Family.DEEPSEEK_OCR_2, config, DecoderShape.from_config(config), place)
    desk = desk_for(Family.DEEPSEEK_OCR_2, model, _tokenizer(), Sizes(2, 80), place)
    found = read(desk, 2, 5)
    desk.loop.close()
    assert found["pages"] == 2
    assert 1 <= found["tokens_per_page"] <= 5
    assert found["tokens_per_second"] == pytest.approx(
        found["tokens_per_page"] * found["pages_per_second"]
    )
    assert 0 < found["latency_seconds"]["p50"] <= found["latency_seconds"]["p99"]

import pytest
import torch
from docparser_api.model_sizes import Family
from docparser_runtime.bench.loading import PUBLISHED, first_token
from docparser_runtime.bench.reading import random_model, read, word_tokenizer
from docparser_runtime.engine.gpu.assembly import Place, desk_for
from docparser_runtime.engine.gpu.ops.select import PLAIN
from docparser_runtime.engine.gpu.reading import TextTokenizer
from docparser_runtime.engine.gpu.shapes import DecoderShape
from docparser_runtime.engine.gpu.sizing import Sizes
from support import tiny_models

pytestmark = pytest.mark.thorough  # torch and transformers take seconds to import


PLACE = Place(torch.device("cpu"), torch.float32, PLAIN)


def test_all_pages_are_read_and_timed() -> None:
    config = tiny_models.deepseek_ocr2().config.to_dict()
    model = random_model(Family.DEEPSEEK_OCR_2, config, DecoderShape.from_config(config), PLACE)
    desk = desk_for(
        Family.DEEPSEEK_OCR_2, model, TextTokenizer(word_tokenizer()), Sizes(2, 80), PLACE
    )
    found = read(desk, 2, 5)
    desk.loop.close()
    assert found["pages"] == 2
    assert 1 <= found["tokens_per_page"] <= 5
    assert found["tokens_per_second"] == pytest.approx(
        found["tokens_per_page"] * found["pages_per_second"]
    )
    assert 0 < found["latency_seconds"]["p50"] <= found["latency_seconds"]["p99"]


def test_the_way_to_the_first_token_is_timed_piece_by_piece() -> None:
    config = tiny_models.deepseek_ocr2().config.to_dict()
    found = first_token(Family.DEEPSEEK_OCR_2, config, PLACE)
    parameters = tiny_models.deepseek_ocr2().num_parameters()
    assert found["bytes"] == 4 * parameters
    assert found["copy_seconds"] < found["load_seconds"] < found["seconds"]


def test_the_published_config_has_the_published_sizes() -> None:
    assert DecoderShape.from_config(PUBLISHED) == DecoderShape()

import pytest
from docparser_runtime.bench.roofline import (
    cache_bytes,
    experts_touched,
    step_seconds,
    weight_bytes,
)
from docparser_runtime.engine.gpu.shapes import DecoderShape

SHAPE = DecoderShape()


def test_one_token_visits_its_experts_and_many_tokens_all() -> None:
    assert experts_touched(SHAPE, 1) == pytest.approx(6)
    assert experts_touched(SHAPE, 1000) == pytest.approx(64)


def test_a_token_reads_the_active_parameters_once() -> None:
    # 574 million active parameters with the head, two bytes each, the router four.
    assert weight_bytes(SHAPE, 1) == pytest.approx(1.15e9, rel=0.01)


def test_the_cache_of_a_token_takes_60_kib() -> None:
    assert cache_bytes(SHAPE, 1, 1) == 61_440
    assert cache_bytes(SHAPE, 64, 1721) == pytest.approx(6.77e9, rel=0.01)


def test_a_step_takes_as_long_as_its_bytes() -> None:
    total = weight_bytes(SHAPE, 4) + cache_bytes(SHAPE, 4, 100)
    assert step_seconds(SHAPE, 4, 100, total) == pytest.approx(1)

from collections.abc import Callable
from dataclasses import replace

import pytest
from docparser_api.model_sizes import (
    DECODER,
    MODELS,
    Family,
    KvDtype,
    most_page_tokens,
)
from docparser_api.vram import Shortage, plan
from docparser_api.vram_demand import Attention, Demand, block_bytes
from hypothesis import given, settings
from hypothesis import strategies as st

GIB = 1024**3
A, B = Family.DEEPSEEK_OCR_2, Family.UNLIMITED_OCR
H200 = 139 * GIB


def test_sizes_are_those_of_the_published_models() -> None:
    assert MODELS[A].parameters == 3_389_119_360
    assert MODELS[B].parameters == 3_335_504_128
    assert DECODER.kv_bytes_per_token(KvDtype.BF16) == 61_440
    assert DECODER.kv_bytes_per_token(KvDtype.FP8) == 30_720
    # bf16, and two more bytes for each parameter of the choice of experts
    assert MODELS[A].weight_bytes == 2 * 3_389_119_360 + 2 * 11 * 64 * 1280


@pytest.mark.parametrize(
    ("family", "tiles", "tokens"),
    [(A, 0, 257), (A, 2, 545), (A, 6, 1121), (B, 0, 273), (B, 32, 3793)],
)
def test_tokens_of_the_largest_page(family: Family, tiles: int, tokens: int) -> None:
    assert most_page_tokens(family, tiles) == tokens


@pytest.mark.parametrize(("family", "tiles"), [(A, 1), (A, 7), (A, -1), (B, 1), (B, 33)])
def test_impossible_tiles_are_refused(family: Family, tiles: int) -> None:
    with pytest.raises(ValueError, match="tiles"):
        most_page_tokens(family, tiles)


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda: Demand(A, H200, concurrency=0), "at least 1"),
        (lambda: Demand(A, H200, reserve_percent=100), "percent"),
        (lambda: Demand(A, H200, pages_per_window=2), "one page at a time"),
        (lambda: Demand(A, H200, attention=Attention.REFERENCE_SLIDING), "full attention"),
        (lambda: Demand(B, H200, pages_per_window=2), "without tiles"),
    ],
)
def test_what_no_gpu_could_run_is_refused(make: Callable[[], Demand], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        make()


def test_a_big_gpu_holds_hundreds_of_pages() -> None:
    of_a = plan(Demand(A, H200, concurrency=256, max_new_tokens=1024))
    assert of_a.fits
    assert of_a.suggestion is None
    assert of_a.max_concurrency > 500
    assert of_a.kv_blocks >= 256 * of_a.sequence_blocks


def test_a_small_gpu_is_told_how_to_be_enough() -> None:
    busy = plan(Demand(A, 24 * GIB, concurrency=64))
    assert busy.shortage is Shortage.MEMORY
    assert busy.suggestion == Demand(A, 24 * GIB, concurrency=busy.max_concurrency)
    small = plan(Demand(A, 16 * GIB, concurrency=1))
    assert small.max_concurrency == 0
    assert small.suggestion == Demand(A, 16 * GIB, concurrency=1, encoder_pages=2)
    tiny = plan(Demand(A, 13 * GIB, concurrency=1, prefill_tokens=1024))
    assert tiny.suggestion is not None
    assert tiny.suggestion.max_tiles == 4
    assert tiny.suggestion.kv_dtype is KvDtype.BF16
    assert plan(Demand(A, 6 * GIB)).suggestion is None


def test_memory_of_a_window_does_not_depend_on_what_is_written() -> None:
    window = Demand(
        B,
        80 * GIB,
        max_tiles=0,
        pages_per_window=16,
        attention=Attention.REFERENCE_SLIDING,
    )
    longer = replace(window, max_new_tokens=16_000)
    assert plan(window).sequence_blocks == plan(longer).sequence_blocks
    full = replace(window, attention=Attention.FULL)
    assert plan(full).sequence_blocks > plan(window).sequence_blocks


def test_positions_bound_a_window() -> None:
    demand = Demand(B, H200, concurrency=1, max_tiles=0, attention=Attention.REFERENCE_SLIDING)
    pages = plan(demand).max_pages_per_window
    assert pages == (32_768 - 4096 - 64) // 273
    over = plan(replace(demand, pages_per_window=pages + 1))
    assert over.shortage is Shortage.POSITIONS
    assert over.suggestion == replace(demand, pages_per_window=pages)
    framed = replace(demand, attention=Attention.SPARSE_REFERENCE, pages_per_window=1000)
    assert plan(framed).fits


def test_an_answer_beyond_all_positions_is_shortened() -> None:
    found = plan(Demand(A, H200, max_new_tokens=9000))
    assert found.shortage is Shortage.POSITIONS
    assert found.suggestion is not None
    assert found.suggestion.max_new_tokens < 8192


@st.composite
def demands(draw: st.DrawFn) -> Demand:
    family = draw(st.sampled_from(Family))
    attention = Attention.FULL if family is A else draw(st.sampled_from(Attention))
    pages = 1 if family is A else draw(st.integers(1, 64))
    tiles = 0 if pages > 1 else draw(st.sampled_from((0, 2, 3, 4, 5, 6)))
    return Demand(
        family,
        draw(st.integers(4 * GIB, 192 * GIB)),
        draw(st.integers(1, 300)),
        draw(st.integers(1, 8000)),
        tiles,
        pages,
        attention,
        draw(st.sampled_from(KvDtype)),
        draw(st.integers(1, 8)),
        draw(st.integers(128, 8192)),
        draw(st.integers(0, 60)),
    )


@settings(max_examples=25)
@given(demands())
def test_limits_of_a_plan_are_exact(demand: Demand) -> None:
    found = plan(demand)
    assert (found.suggestion is None) or plan(found.suggestion).fits
    assert found.fits == (found.shortage is None)
    if found.shortage is Shortage.POSITIONS:
        return
    assert found.fits == (demand.concurrency <= found.max_concurrency)
    assert found.fits == (found.items.total <= demand.device_bytes)
    assert found.fits == (found.kv_blocks >= demand.concurrency * found.sequence_blocks)
    assert found.fits == (demand.device_bytes >= found.needed_device_bytes)
    assert plan(replace(demand, device_bytes=found.needed_device_bytes)).fits
    assert not plan(replace(demand, device_bytes=found.needed_device_bytes - 1)).fits


@settings(max_examples=25)
@given(demands())
def test_the_largest_window_is_exact(demand: Demand) -> None:
    most = plan(demand).max_pages_per_window
    if most:
        assert plan(replace(demand, pages_per_window=most)).fits
    if demand.family is B and demand.max_tiles == 0:
        assert not plan(replace(demand, pages_per_window=most + 1)).fits


@given(demands())
@settings(max_examples=15)
def test_fp8_halves_the_cache(demand: Demand) -> None:
    plain = replace(demand, attention=Attention.FULL)
    half = replace(plain, kv_dtype=KvDtype.FP8)
    assert 2 * block_bytes(half) == block_bytes(replace(plain, kv_dtype=KvDtype.BF16))
    assert plan(half).max_concurrency >= plan(plain).max_concurrency


@pytest.mark.thorough
def test_sizes_are_those_of_the_models_that_transformers_makes() -> None:
    import torch  # noqa: PLC0415
    from transformers.models import deepseek_ocr2 as of_a  # noqa: PLC0415
    from transformers.models import unlimited_ocr as of_b  # noqa: PLC0415

    shared = {"vocab_size": 129_280, "hidden_size": 1280, "num_hidden_layers": 12}
    text = shared | {
        "intermediate_size": 6848,
        "num_attention_heads": 10,
        "num_experts_per_tok": 6,
        "moe_intermediate_size": 896,
        "mlp_layer_types": ["dense"] + ["sparse"] * 11,
    }
    encoder = {
        "hidden_size": 896,
        "intermediate_size": 4864,
        "num_hidden_layers": 24,
        "num_attention_heads": 14,
        "num_key_value_heads": 2,
    }
    config = of_a.DeepseekOcr2Config(text_config=text, vision_config={"encoder_config": encoder})
    with torch.device("meta"):
        models = {
            A: of_a.DeepseekOcr2ForConditionalGeneration(config),
            B: of_b.UnlimitedOcrForConditionalGeneration(of_b.UnlimitedOcrConfig()),
        }
    for family, model in models.items():
        found = sum(parameter.numel() for parameter in model.parameters())
        assert found == MODELS[family].parameters

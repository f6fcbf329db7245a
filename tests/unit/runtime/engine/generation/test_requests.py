from collections.abc import Callable

import pytest
from docparser_api.model_sizes import Family
from docparser_api.vram_demand import (
    PROMPT_TEXT_TOKENS,
    RING_TOKENS,
    Attention,
    Demand,
    sequence_blocks,
)
from docparser_runtime.engine.generation.requests import Limits, Request
from docparser_runtime.engine.generation.scheduler import Scheduler
from docparser_runtime.engine.generation.tiling import layout
from hypothesis import given, settings
from hypothesis import strategies as st

LIMITS = Limits(sequences=8)


def test_a_window_of_written_tokens_needs_no_room_for_all_of_them() -> None:
    assert Request(1, "a", (0,), 273, 60_000, window=128).blocks == 9 + 4
    assert Request(1, "a", (0,), 273, 60_000).blocks == 1884


@settings(max_examples=20)
@given(
    st.sampled_from(Family), st.integers(1, 9000), st.integers(1, 9000), st.sampled_from((0, 4, 6))
)
def test_no_page_takes_more_blocks_than_were_planned(
    family: Family, width: int, height: int, tiles: int
) -> None:
    is_full = family is Family.DEEPSEEK_OCR_2
    attention = Attention.FULL if is_full else Attention.REFERENCE_SLIDING
    demand = Demand(family, 10**11, max_tiles=tiles, attention=attention)
    shown = layout(family, width, height, tiles)
    prompt = shown.prompt_tokens + PROMPT_TEXT_TOKENS
    window = None if is_full else RING_TOKENS
    request = Request(1, "a", (shown.grid.tiles,), prompt, demand.max_new_tokens, window)
    assert request.blocks <= sequence_blocks(demand)


def test_few_that_write_leave_more_time_to_others() -> None:
    assert LIMITS.decode_share(1) == 0.25
    assert LIMITS.decode_share(6) == pytest.approx(36 / 64)
    assert LIMITS.decode_share(8) == 0.75


@pytest.mark.parametrize(
    "make",
    [
        lambda: Limits(0),
        lambda: Limits(1, prefill_tokens=0),
        lambda: Limits(1, encoder_tiles=-1),
        lambda: Limits(1, least_decode_share=0.0),
        lambda: Limits(1, least_decode_share=0.9),
        lambda: Request(1, "a", (), 0, 1),
        lambda: Request(1, "a", (), 1, 1, window=0),
        lambda: Scheduler(LIMITS, 0),
    ],
)
def test_nonsense_is_refused(make: Callable[[], object]) -> None:
    with pytest.raises(ValueError, match=r"least|shares"):
        make()

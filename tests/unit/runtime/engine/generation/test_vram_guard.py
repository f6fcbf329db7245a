from collections.abc import Callable

import pytest
from docparser_api.model_sizes import Family
from docparser_runtime.engine.generation.requests import Limits
from docparser_runtime.engine.generation.scheduler import Scheduler
from docparser_runtime.engine.generation.vram_guard import (
    Level,
    Thresholds,
    Verdict,
    VramGuard,
    heed,
    shrunk,
    smaller_tiles,
)
from hypothesis import given, settings
from hypothesis import strategies as st

PLANNED, RESERVE = 3000, 1000


def verdicts(*shares: float, is_idle: bool = False) -> list[Verdict]:
    guard = VramGuard(PLANNED, RESERVE, Thresholds())
    used = [PLANNED + round(RESERVE * share) for share in shares]
    return [guard.observe(bytes_, is_idle=is_idle) for bytes_ in used]


def levels(*shares: float, is_idle: bool = False) -> list[Level]:
    return [verdict.level for verdict in verdicts(*shares, is_idle=is_idle)]


def test_levels_begin_at_once() -> None:
    assert levels(-1.0, 0.39, 0.4, 0.6) == [Level.NORMAL, Level.NORMAL, Level.HOLD, Level.SHRINK]
    assert [verdict.admits for verdict in verdicts(0.1, 0.5)] == [True, False]


def test_levels_end_below_where_they_began() -> None:
    assert levels(0.4, 0.3, 0.26, 0.24, 0.3) == [*[Level.HOLD] * 3, Level.NORMAL, Level.NORMAL]
    assert levels(0.6, 0.5, 0.44, 0.26, 0.24) == [
        *[Level.SHRINK] * 2,
        *[Level.HOLD] * 2,
        Level.NORMAL,
    ]


def test_a_peak_is_no_reason_to_restart() -> None:
    assert levels(0.9, 0.9, 0.5) == [Level.SHRINK] * 3
    assert levels(0.9, 0.9, 0.9) == [Level.SHRINK, Level.SHRINK, Level.DRAIN]


def test_there_is_no_way_back_from_a_restart() -> None:
    assert levels(0.9, 0.9, 0.9, 0.0)[-1] is Level.DRAIN


def test_memory_that_nothing_will_give_back_is_a_reason_to_restart() -> None:
    assert levels(0.5, 0.5, 0.5, is_idle=True)[-1] is Level.DRAIN
    assert levels(0.5, 0.5, 0.5, is_idle=False)[-1] is Level.HOLD
    assert levels(0.3, 0.3, 0.3, is_idle=True)[-1] is Level.NORMAL


def test_steps_get_smaller_while_it_does_not_get_better() -> None:
    found = verdicts(*[0.7] * 7, 0.5, 0.3, 0.0)
    assert [verdict.halvings for verdict in found] == [1, 1, 1, 2, 2, 2, 3, 3, 3, 0]


@settings(max_examples=15)
@given(st.lists(st.floats(-1, 2), max_size=12), st.booleans())
def test_more_memory_is_never_judged_better(shares: list[float], is_idle: bool) -> None:  # noqa: FBT001
    low = levels(*shares, is_idle=is_idle)
    high = levels(*[share + 0.1 for share in shares], is_idle=is_idle)
    assert all(more >= less for more, less in zip(high, low, strict=True))


def test_shrunk_steps_still_take_a_page() -> None:
    limits = Limits(8, encoder_pages=4, encoder_tiles=24, prefill_tokens=4096)
    half = shrunk(limits, 1)
    assert (half.encoder_pages, half.encoder_tiles, half.prefill_tokens) == (2, 12, 2048)
    least = shrunk(limits, 8)
    assert (least.encoder_pages, least.encoder_tiles, least.prefill_tokens) == (1, 0, 16)
    assert shrunk(limits, 0) == limits


def test_a_scheduler_heeds_the_verdict_and_recovers() -> None:
    limits = Limits(8, encoder_pages=4)
    scheduler = Scheduler(limits, blocks=100)
    heed(Verdict(Level.SHRINK, halvings=1), scheduler, limits)
    assert (scheduler.admits, scheduler.limits.encoder_pages) == (False, 2)
    heed(Verdict(Level.NORMAL, halvings=0), scheduler, limits)
    assert (scheduler.admits, scheduler.limits) == (True, limits)


def test_a_page_is_tried_again_with_fewer_tiles() -> None:
    a, b = Family.DEEPSEEK_OCR_2, Family.UNLIMITED_OCR
    assert [smaller_tiles(a, tiles) for tiles in (6, 5, 4, 2, 0)] == [4, 4, 0, 0, None]
    assert [smaller_tiles(b, tiles) for tiles in (32, 6, 0)] == [6, 0, None]


@pytest.mark.parametrize(
    "make",
    [
        lambda: Thresholds(hold=0.7),
        lambda: Thresholds(margin=0.5),
        lambda: Thresholds(patience=0),
        lambda: smaller_tiles(Family.DEEPSEEK_OCR_2, 7),
    ],
)
def test_nonsense_is_refused(make: Callable[[], object]) -> None:
    with pytest.raises(ValueError, match=r"thresholds|patience|tiles"):
        make()

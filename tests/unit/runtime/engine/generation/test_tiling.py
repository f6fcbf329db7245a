import pytest
from docparser_api.model_sizes import MODELS, Family, most_page_tokens
from docparser_runtime.engine.generation.tiling import (
    Grid,
    Layout,
    closest_grid,
    layout,
    max_tiles,
    vision_token_totals,
    wanted_tier,
)
from docparser_runtime.engine.tiers import Tier
from hypothesis import example, given, settings
from hypothesis import strategies as st

A, B = Family.DEEPSEEK_OCR_2, Family.UNLIMITED_OCR
SIDES = st.integers(1, 9000)


@pytest.mark.parametrize(
    ("size", "grid", "tokens"),
    [
        ((1191, 1684), Grid(2, 3), 1120),  # A4
        ((1684, 1191), Grid(3, 2), 1120),
        ((1224, 1584), Grid(2, 3), 1120),  # Letter
        ((1600, 1200), Grid(3, 2), 1120),
        ((1920, 1080), Grid(2, 1), 544),
        ((1000, 1000), Grid(2, 2), 832),
        ((700, 2100), Grid(1, 3), 688),
        ((768, 768), Grid(0, 0), 256),
        ((768, 300), Grid(0, 0), 256),
    ],
)
def test_common_pages_of_family_a(size: tuple[int, int], grid: Grid, tokens: int) -> None:
    found = layout(A, *size, max_tiles=6)
    assert found.grid == grid
    assert found.vision_tokens == tokens
    assert found.prompt_tokens == tokens + 1


def test_common_pages_of_family_b() -> None:
    scan = layout(B, 2480, 3508, max_tiles=32)
    assert scan.grid == Grid(4, 6)
    assert scan.prompt_tokens == 2733
    drawn = layout(B, 1191, 1684, max_tiles=32)
    assert drawn.grid == Grid(2, 3)
    base = layout(B, 2480, 3508, max_tiles=0)
    assert (base.vision_tokens, base.prompt_tokens) == (256, 273)


def test_tiers() -> None:
    a4 = [layout(A, 1191, 1684, max_tiles(A, tier)).vision_tokens for tier in Tier]
    assert a4 == [256, 544, 1120]
    assert [max_tiles(B, tier) for tier in Tier] == [0, 6, 32]
    assert wanted_tier(A, 768, 100) is Tier.LOW
    assert wanted_tier(A, 769, 100) is Tier.HIGH
    assert wanted_tier(B, 641, 641) is Tier.HIGH


def test_totals_are_the_legal_ones() -> None:
    assert vision_token_totals(A, 6) == (256, 544, 688, 832, 976, 1120)
    assert vision_token_totals(A, 0) == (256,)
    assert len(vision_token_totals(B, 32)) == 32


@pytest.mark.parametrize(("width", "height", "tiles"), [(0, 5, 6), (5, 0, 6), (9, 9, 1), (9, 9, 7)])
def test_nonsense_is_refused(width: int, height: int, tiles: int) -> None:
    with pytest.raises(ValueError, match=r"pixel|tiles"):
        layout(A, width, height, tiles)


def kinds(found: Layout) -> tuple[int, int, int]:
    return found.vision_tokens, found.prompt_tokens, found.grid.tiles


@settings(max_examples=25)
@given(st.sampled_from(Family), SIDES, SIDES, st.sampled_from((0, 2, 3, 4, 5, 6)))
def test_what_a_layout_promises(family: Family, width: int, height: int, tiles: int) -> None:
    found = layout(family, width, height, tiles)
    model = MODELS[family]
    assert found.grid.tiles == 0 or 2 <= found.grid.tiles <= tiles
    assert found.vision_tokens in vision_token_totals(family, tiles)
    assert model.view_tokens <= found.prompt_tokens <= most_page_tokens(family, tiles)
    assert max(found.page_width, found.page_height) == model.view_side
    assert found.page_left >= 0 <= found.page_top
    boxes = [*found.boxes()]
    assert len(boxes) == found.grid.tiles == len(set(boxes))
    assert all(right - left == bottom - top for left, top, right, bottom in boxes)
    if boxes:
        assert boxes[-1][2:] == (found.tiled_width, found.tiled_height)


@settings(max_examples=25)
@given(st.sampled_from(Family), SIDES, SIDES, st.sampled_from((0, 2, 4, 6)))
def test_every_source_of_a_token_is_used(
    family: Family, width: int, height: int, tiles: int
) -> None:
    found = layout(family, width, height, tiles)
    order = [*found.order()]
    assert len(order) == found.prompt_tokens
    # Beside what shows the page there are a separator and, in family B, an end of a line.
    assert set(order) == {*range(found.vision_tokens + (1 if family is A else 2))}
    assert order.count(order[-1]) == 1


def test_rows_of_family_b_run_through_neighbouring_tiles() -> None:
    found = layout(B, 1920, 1080, max_tiles=2)
    assert found.grid == Grid(2, 1)
    order = [*found.order()]
    line_end = 2 * 100 + 256
    first, second = order[:21], order[21:42]
    assert first == [*range(10), *range(100, 110), line_end]
    assert second == [*range(10, 20), *range(110, 120), line_end]
    assert order[210:228] == [*range(200, 216), line_end, 216]


@pytest.mark.thorough
@settings(max_examples=1000, deadline=None)
@given(SIDES, SIDES, st.sampled_from(((768, 6), (768, 4), (640, 32), (640, 6))))
@example(1500, 600, (768, 6))  # as close to 2:1 as to 3:1
@example(1920, 768, (768, 6))
@example(600, 240, (640, 32))
def test_grids_are_those_of_the_models_processors(
    width: int, height: int, tiles: tuple[int, int]
) -> None:
    from transformers.models.deepseek_ocr2 import (  # noqa: PLC0415
        image_processing_pil_deepseek_ocr2 as theirs,
    )

    side, most = tiles
    wanted = theirs.get_optimal_tiled_canvas((height, width), (side, side), 2, most)
    assert closest_grid(width, height, side, most) == Grid(*wanted)


@pytest.mark.thorough
@pytest.mark.parametrize("size", [(1191, 1684), (3000, 1000), (640, 480), (801, 799), (769, 31)])
def test_views_and_tiles_are_those_of_the_models_processor(size: tuple[int, int]) -> None:
    import numpy as np  # noqa: PLC0415
    from transformers.models.deepseek_ocr2 import (  # noqa: PLC0415
        image_processing_pil_deepseek_ocr2 as theirs,
    )

    width, height = size
    white = np.full((height, width, 3), 255, np.uint8)
    made = theirs.DeepseekOcr2ImageProcessorPil()(white, return_tensors="np")
    found = layout(A, width, height, max_tiles=6)
    assert made["num_local_patches"][0] == found.grid.tiles
    page = made["pixel_values"][0].max(axis=0) > 0.9
    rows, columns = np.flatnonzero(page.any(axis=1)), np.flatnonzero(page.any(axis=0))
    assert (rows[0], len(rows)) == (found.page_top, found.page_height)
    assert (columns[0], len(columns)) == (found.page_left, found.page_width)

"""The parts of the engine that need no weights."""

import numpy as np
import pytest
from docparser_runtime.engine.base import Box
from docparser_runtime.engine.bullets import with_bullets
from docparser_runtime.engine.detection import (
    STRIDE,
    TILE_MARGIN,
    TILE_SIDE,
    TextRegion,
    clockwise,
    regions_of,
    tiles,
)
from docparser_runtime.engine.ink import ink_of, line_columns, line_image, line_rows, text_line
from docparser_runtime.engine.recognition import (
    BATCH_PIXELS,
    LEAST_WIDTH,
    MOST_PADDING,
    batches,
    decoded,
)
from docparser_runtime.engine.turning import lies_on_side, skew_degrees, view_of
from docparser_runtime.layout.lines import TextLine
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageDraw


def region(left: float, top: float, right: float, bottom: float) -> TextRegion:
    corners = [(left, top), (right, top), (right, bottom), (left, bottom)]
    return TextRegion(np.array(corners, np.float32), 0.9)


def test_a_likely_bar_is_a_region_grown_back() -> None:
    probability = np.zeros((100, 200), np.float32)
    probability[40:50, 50:150] = 0.9
    probability[10:12, 10:12] = 0.9  # a speck
    probability[80:90, 50:150] = 0.4  # text for no pixel counts enough
    (found,) = regions_of(probability)
    (left, top), (right, bottom) = found.corners.min(axis=0), found.corners.max(axis=0)
    assert found.score == pytest.approx(0.9, abs=0.1)
    assert 38 <= left <= 45
    assert 155 <= right <= 162
    assert 30 <= top <= 34
    assert 57 <= bottom <= 61


@given(
    st.integers(1, 200).map(lambda count: count * STRIDE),
    st.integers(1, 200).map(lambda count: count * STRIDE),
)
def test_tiles_cover_a_page_once(height: int, width: int) -> None:
    covered = 0
    for (rows, columns), (seen_rows, seen_columns) in tiles(height, width):
        covered += (rows.stop - rows.start) * (columns.stop - columns.start)
        for span, seen in ((rows, seen_rows), (columns, seen_columns)):
            assert seen.start <= span.start < span.stop <= seen.stop
            assert (seen.stop - seen.start) % STRIDE == 0
            assert seen.stop - seen.start <= TILE_SIDE + 2 * TILE_MARGIN + STRIDE
    assert covered == height * width


def test_corners_begin_at_the_top_left_of_the_text() -> None:
    wanted = np.array([(0, 0), (9, 1), (9, 3), (0, 2)], np.float32)
    for first in range(4):
        assert clockwise(np.roll(wanted, first, axis=0)).tolist() == wanted.tolist()


@given(st.lists(st.integers(1, 3200), max_size=60))
def test_batches_hold_every_line_once_and_keep_to_the_budget(widths: list[int]) -> None:
    groups = batches(widths)
    assert sorted(index for group in groups for index in group) == [*range(len(widths))]
    for group in groups:
        padded = [max(LEAST_WIDTH, widths[index]) for index in group]
        assert len(group) == 1 or len(group) * max(padded) <= BATCH_PIXELS
        assert max(padded) <= MOST_PADDING * min(padded)


def test_decoding_merges_repeats_and_drops_blanks() -> None:
    probabilities = np.zeros((7, 4), np.float32)
    for column, label in enumerate((1, 1, 0, 1, 2, 0, 3)):
        probabilities[column, label] = 0.8
    text, confidence = decoded(probabilities, ["", "a", "b", " "])
    assert (text, round(confidence, 3)) == ("aab", 0.8)
    assert decoded(np.eye(4, dtype=np.float32)[[0, 0]], ["", "a", "b", " "]) == ("", 0.0)


def text_image() -> np.ndarray:
    """Return an image of a line 40 high with ink from row 10 to 30 and column 5 to 95."""
    image = np.full((40, 100, 3), 255, np.uint8)
    image[10:30, 5:20] = image[10:30, 40:55] = image[10:30, 85:95] = 0
    return image


def test_ink_is_found_without_that_of_other_lines() -> None:
    image = text_image()
    image[:3, 10:20] = 0
    assert line_rows(ink_of(image)) == (10, 30)
    assert line_columns(ink_of(image)) == (5, 95)
    assert line_rows(ink_of(255 - image)) == (10, 30)


def test_a_rule_below_the_text_does_not_widen_it() -> None:
    image = text_image()
    image[36:38] = 0
    line = text_line(image, region(200, 100, 300, 140).corners, "Hall", 0.9)
    assert line.box == Box(205, 110, 295, 130)
    assert line.size == pytest.approx(20 / 0.72)


def test_a_letter_of_the_next_column_does_not_widen_a_line() -> None:
    image = text_image()
    image[10:30, 98:] = image[10:30, :3] = 0
    image[10:30, 3:16] = image[10:30, 60:95] = 255
    assert line_columns(ink_of(image)[10:30]) == (16, 55)


def test_dots_belong_to_their_letters() -> None:
    image = text_image()
    image[6:8, 50:53] = 0
    assert line_rows(ink_of(image)) == (6, 30)


def test_an_image_without_ink_is_taken_whole() -> None:
    assert line_rows(ink_of(np.full((9, 9, 3), 255, np.uint8))) == (0, 9)


def test_upright_regions_are_laid_down() -> None:
    page = np.zeros((100, 100, 3), np.uint8)
    assert line_image(page, region(10, 10, 20, 60).corners).shape == (10, 50, 3)
    assert line_image(page, region(10, 10, 60, 20).corners).shape == (10, 50, 3)


@pytest.mark.parametrize(
    "edges",
    [(100, 40, 100, 50), (40, 100, 50, 100), (99.9, 99.9, 100, 100), (-1, -1, 0, 0), (-2, 5, 9, 9)],
)
def test_regions_at_the_very_edge_have_a_pixel(edges: tuple[float, ...]) -> None:
    image = line_image(np.zeros((100, 100, 3), np.uint8), region(*edges).corners)
    assert min(image.shape) >= 1


def test_skew_is_that_of_the_long_lines() -> None:
    slope = np.array([(0, 0), (200, 7), (200, 27), (0, 20)], np.float32)
    word = np.array([(0, 0), (20, 9), (20, 29), (0, 20)], np.float32)
    regions = [TextRegion(slope, 1), TextRegion(slope, 1), *[TextRegion(word, 1)] * 9]
    assert skew_degrees(regions) == pytest.approx(2.0, abs=0.1)
    assert skew_degrees([]) == 0


@pytest.mark.parametrize(("rise", "degrees"), [(6, 0), (12, 1.7)])
def test_the_tilt_of_large_letters_is_no_skew(rise: float, degrees: float) -> None:
    title = np.array([(0, 0), (400, rise), (400, 60 + rise), (0, 60)], np.float32)
    assert skew_degrees([TextRegion(title, 1)]) == pytest.approx(degrees, abs=0.05)


def test_pages_of_upright_lines_lie_on_a_side() -> None:
    assert lies_on_side([region(0, 0, 20, 300), region(30, 0, 50, 300), region(0, 0, 90, 20)])
    assert not lies_on_side([region(0, 0, 20, 100), region(0, 0, 300, 20)])
    assert not lies_on_side([])


@pytest.mark.parametrize("degrees", [90, 180, 270, 3.0])
def test_boxes_of_a_turned_view_lead_back_to_the_page(degrees: float) -> None:
    page = np.full((100, 300, 3), 255, np.uint8)
    page[20:30, 40:120] = 0
    view = view_of(page, [region(40, 20, 120, 30)]).turned(degrees)
    (top, left), (bottom, right) = (
        points(axis=0)
        for points in (
            np.argwhere(view.pixels[..., 0] < 128).min,
            np.argwhere(view.pixels[..., 0] < 128).max,
        )
    )
    back = view.box_on_page(Box(left, top, right, bottom), 300, 100)
    found = (back.left, back.top, back.right, back.bottom)
    assert found == pytest.approx((40, 20, 120, 30), abs=5)
    assert view.regions[0].corners.min(axis=0) == pytest.approx([left, top], abs=3)


@pytest.mark.parametrize(
    ("turns", "clockwise"),
    [((), 0), ((90,), -90), ((270,), 90), ((180,), 180), ((90, 3), -93), ((180, -2.5), -177.5)],
)
def test_a_view_knows_how_it_was_turned(turns: tuple[float, ...], clockwise: float) -> None:
    view = view_of(np.zeros((40, 90, 3), np.uint8), [])
    for turn in turns:
        view = view.turned(turn)
    assert view.clockwise_degrees == clockwise


@pytest.mark.parametrize(
    ("shape", "text"),
    [
        ("disc", "• Two pens"),
        ("square", "• Two pens"),
        ("ring", "Two pens"),
        ("dash", "Two pens"),
        ("near", "Two pens"),
        ("word", "Two pens"),
    ],
)
def test_bullets(shape: str, text: str) -> None:
    page = Image.new("RGB", (200, 60), "white")
    draw = ImageDraw.Draw(page)
    # One em is 20; the text is a block of ink from 60 on, on a baseline at 40.
    draw.rectangle((60, 26, 140, 40), fill="black")
    if shape == "disc":
        draw.ellipse((36, 30, 43, 37), fill="black")
    elif shape == "square":
        draw.rectangle((36, 30, 43, 37), fill="black")
    elif shape == "ring":
        draw.ellipse((35, 29, 44, 38), outline="black", width=2)
    elif shape == "dash":
        draw.rectangle((30, 33, 45, 34), fill="black")
    elif shape == "near":
        draw.ellipse((50, 30, 57, 37), fill="black")
    else:
        draw.rectangle((20, 26, 48, 40), fill="black")
    line = TextLine("Two pens", Box(60, 26, 140, 44.2), 20, 0.9)
    (found,) = with_bullets([line], np.asarray(page))
    assert found.text == text
    assert found.box.left == (36 if text.startswith("•") else 60)

from collections import Counter
from collections.abc import Sequence

import pytest
from docparser_runtime.outputs.ink_lines import Line, ink_lines
from docparser_runtime.outputs.page_text import PageText, Passage, Rectangle
from docparser_runtime.outputs.placing import PlacedLine, placed_lines
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageDraw

WHITE, BLACK, GREY = 255, 0, 120
SIZE = (400, 300)
LETTER, HEIGHT = 10, 14
"""Size in pixels of the bar that stands for a letter."""
QUARTERS = {
    0: None,
    1: Image.Transpose.ROTATE_90,
    2: Image.Transpose.ROTATE_180,
    3: Image.Transpose.ROTATE_270,
}
LINES = ("aaaa bbbb cccc dd", "eee fff ggggggg", "hhhh jj")


def printed(lines: Sequence[str], left: int = 40, top: int = 50, ink: int = BLACK) -> Image.Image:
    """Return a picture with a bar for each letter of `lines`."""
    picture = Image.new("L", SIZE, WHITE if ink == BLACK else BLACK)
    draw = ImageDraw.Draw(picture)
    for row, line in enumerate(lines):
        for column, letter in enumerate(line):
            if letter != " ":
                x, y = left + column * LETTER, top + row * 2 * HEIGHT
                draw.rectangle((x, y, x + LETTER - 4, y + HEIGHT - 1), ink)
    return picture


def box_of(row: int, length: int, left: int = 40, top: int = 50) -> Rectangle:
    y = top + row * 2 * HEIGHT
    return left, y, left + length * LETTER - 3, y + HEIGHT


def turned(box: Rectangle, quarters: int) -> Rectangle:
    """Return where `box` is once the picture was turned counterclockwise."""
    width, height = SIZE
    for _ in range(quarters):
        box = (box[1], width - box[2], box[3], width - box[0])
        width, height = height, width
    return box


def placed(picture: Image.Image, *passages: Passage) -> list[PlacedLine]:
    return placed_lines(PageText(*picture.size, passages), picture)


@pytest.mark.parametrize("quarters", QUARTERS)
def test_lines_are_found_however_the_page_lies(quarters: int) -> None:
    turn = QUARTERS[quarters]
    pages = [printed(LINES), printed(LINES, top=200)]
    picture = Image.new("L", SIZE, WHITE)
    picture.paste(pages[0].crop((0, 0, 400, 180)), (0, 0))
    picture.paste(pages[1].crop((0, 180, 400, 300)), (0, 180))
    text = " ".join(LINES)
    passages = [
        Passage(text, turned((38.0, top - 2, 215.0, top + 75), quarters)) for top in (50, 200)
    ]
    found = placed(picture if turn is None else picture.transpose(turn), *passages)
    assert [line.text for line in found] == [*LINES, *LINES]
    assert {line.quarters for line in found} == {quarters}
    boxes = [box_of(row, len(line), top=top) for top in (50, 200) for row, line in enumerate(LINES)]
    for line, box in zip(found, boxes, strict=True):
        assert line.box == pytest.approx(turned(box, quarters), abs=1)


@pytest.mark.parametrize("ink", [BLACK, WHITE])
def test_ink_is_what_differs_from_the_paper(ink: int) -> None:
    assert ink_lines(printed(["ab", "c"], ink=ink)) == [
        Line(*box_of(0, 2)),
        Line(*box_of(1, 1)),
    ]


def test_dots_and_accents_belong_to_their_line() -> None:
    picture = printed(["ab", "ab", "ab"])
    draw = ImageDraw.Draw(picture)
    for top in (50, 78, 106):
        draw.rectangle((42, top - 5, 44, top - 4), BLACK)
    draw.rectangle((60, 122, 62, 124), BLACK)
    assert [(line.top, line.bottom) for line in ink_lines(picture)] == [
        (45, 64),
        (73, 92),
        (101, 125),
    ]


def test_without_contrast_there_are_no_lines() -> None:
    assert ink_lines(Image.new("L", SIZE, GREY)) == []


def test_lines_are_assumed_where_none_can_be_seen() -> None:
    text = "word " * 40
    found = placed(Image.new("L", SIZE, WHITE), Passage(text, (50, 50, 250, 150)))
    assert " ".join(line.text for line in found).split() == text.split()
    assert 4 <= len(found) <= 10
    tops = [line.box[1] for line in found]
    assert tops == sorted(tops)
    assert all(line.box[0] >= 50 and line.box[3] <= 150 for line in found)


def test_cells_stand_in_rows_and_columns() -> None:
    passage = Passage("a\tbbbb\n\tc", (0, 0, 200, 100), is_table=True)
    found = {line.text: line.box for line in placed(Image.new("L", SIZE, WHITE), passage)}
    assert [*found] == ["a", "bbbb", "c"]
    assert found["a"][3] <= 50 <= found["c"][1]
    assert found["a"][2] < found["bbbb"][0] == found["c"][0]
    assert found["bbbb"][2] <= 200


numbers = st.floats(-50, 450) | st.sampled_from([float("nan"), float("inf"), 1e300])
rectangles = st.tuples(numbers, numbers, numbers, numbers)
passages = st.builds(
    Passage, st.text("ab\u6811\u05d0 \n\t.", max_size=40), rectangles, st.booleans()
)


@settings(max_examples=30)
@given(st.lists(passages, max_size=4))
def test_lines_stand_on_the_page_and_say_what_the_passages_say(found: list[Passage]) -> None:
    lines = placed(printed(LINES), *found)
    said = "".join(passage.text for passage in found)
    placed_letters = Counter("".join("".join(line.text for line in lines).split()))
    assert not placed_letters - Counter("".join(said.split()))
    for line in lines:
        left, top, right, bottom = line.box
        assert -1 <= left <= right <= SIZE[0] + 1
        assert -1 <= top <= bottom <= SIZE[1] + 1

import pytest
from docparser_runtime.engine.base import Box
from docparser_runtime.layout.lines import (
    TextLine,
    enclosing,
    mean_confidence,
    type_size,
    typical_size,
)


@pytest.mark.parametrize(
    ("text", "ink_height"),
    [("Egg", 93), ("Hall", 72), ("ear", 49), ("grave", 70), ("era, more", 62), ("Hall,", 85)],
)
def test_type_size_does_not_depend_on_the_letters(text: str, ink_height: float) -> None:
    assert type_size(text, ink_height) == pytest.approx(100)


def test_ideographs_nearly_fill_their_square() -> None:
    assert type_size("紙と水", 90) == pytest.approx(100)


def line(text: str, size: float, confidence: float = 1.0, bottom: float = 0) -> TextLine:
    return TextLine(text, Box(0, bottom - size, 10, bottom), size, confidence)


def test_hanging_letters_do_not_move_the_baseline() -> None:
    assert line("Hall", 20, bottom=100).baseline == 100
    assert line("page", 20, bottom=104.2).baseline == pytest.approx(100)


def test_long_lines_decide_on_the_typical_size() -> None:
    assert typical_size([line("Title", 40), line("a long line of text", 20)]) == 20
    assert typical_size([]) == 1


def test_confidence_is_that_of_the_letters() -> None:
    assert mean_confidence([line("abc", 1, 1.0), line("d", 1, 0.6)]) == pytest.approx(0.9)
    assert mean_confidence([]) == 0


def test_enclosing() -> None:
    assert enclosing([Box(1, 2, 3, 4), Box(0, 3, 2, 9)]) == Box(0, 2, 3, 9)

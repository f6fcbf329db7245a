import pytest
from docparser_runtime.engine.generation.answers import PageAnswer
from docparser_runtime.engine.generation.documents import DocumentReading
from docparser_runtime.engine.generation.windows import Window
from hypothesis import given, settings
from hypothesis import strategies as st


def answer(text: str, *, truncated: bool = False, repetition: bool = False) -> PageAnswer:
    return PageAnswer(text, (), truncated, repetition)


def whole(window: Window) -> list[PageAnswer]:
    return [answer(str(index)) for index in window.pages]


def texts(reading: DocumentReading) -> list[tuple[int, str]]:
    return [(index, found.markdown) for index, found in reading.ready()]


def test_pages_come_in_their_order_whichever_window_ends_first() -> None:
    reading = DocumentReading(5, 2)
    first, second, third = Window(0, 2), Window(2, 2), Window(4, 1)
    assert [reading.take() for _ in range(4)] == [first, second, third, None]
    reading.note(second, whole(second))
    assert texts(reading) == []
    reading.note(first, whole(first))
    assert texts(reading) == [(0, "0"), (1, "1"), (2, "2"), (3, "3")]
    reading.note(third, whole(third))
    assert texts(reading) == [(4, "4")]
    assert reading.is_over


def test_a_page_that_was_missed_is_read_once_more_and_holds_up_those_behind_it() -> None:
    reading = DocumentReading(3, 3)
    window = reading.take()
    assert window
    reading.note(window, [answer("a"), answer("", truncated=True), answer("c")])
    assert texts(reading) == [(0, "a")]
    single = reading.take()
    assert single == Window(1, 1)
    reading.note(single, [answer("", truncated=True)])
    assert reading.take() is None
    assert texts(reading) == [(1, ""), (2, "c")]
    assert reading.is_over


@pytest.mark.parametrize(
    ("first", "second", "better"),
    [
        (answer("a b", truncated=True), answer("a"), "a"),
        (answer("a a a a", repetition=True), answer("a b", truncated=True), "a b"),
        (answer("a b c", truncated=True), answer("a", truncated=True), "a b c"),
    ],
)
def test_of_two_answers_the_better_one_counts(
    first: PageAnswer, second: PageAnswer, better: str
) -> None:
    reading = DocumentReading(1, 4)
    for found in (first, second):
        window = reading.take()
        assert window
        reading.note(window, [found])
    assert texts(reading) == [(0, better)]


def test_answers_that_nobody_waits_for_are_refused() -> None:
    reading = DocumentReading(3, 2)
    window = reading.take()
    assert window
    for wrong, answers in ((Window(2, 1), [answer("")]), (window, [answer("")])):
        with pytest.raises(ValueError, match="waited for"):
            reading.note(wrong, answers)


@settings(max_examples=20)
@given(st.integers(0, 12), st.integers(1, 5), st.data())
def test_every_page_comes_once_in_order(count: int, most: int, data: st.DataObject) -> None:
    reading = DocumentReading(count, most)
    running: list[Window] = []
    handed: list[int] = []
    reads = 0
    while not reading.is_over:
        window = reading.take()
        if window is not None:
            running.append(window)
            reads += window.count
        if running and (window is None or data.draw(st.booleans())):
            ended = running.pop(data.draw(st.integers(0, len(running) - 1)))
            lost = data.draw(st.lists(st.booleans(), min_size=ended.count, max_size=ended.count))
            reading.note(ended, [answer("", truncated=is_lost) for is_lost in lost])
        handed += [index for index, _ in reading.ready()]
    assert handed == [*range(count)]
    assert reads <= 2 * count
    assert reading.take() is None

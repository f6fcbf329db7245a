import pytest
from docparser_api.model_sizes import Family
from docparser_runtime.engine.base import Box
from docparser_runtime.engine.generation.answers import Answer, Delta, PageAnswer
from docparser_runtime.engine.generation.page_text import PageSize
from docparser_runtime.engine.generation.stopping import Stop
from hypothesis import given, settings
from hypothesis import strategies as st

A, B = Family.DEEPSEEK_OCR_2, Family.UNLIMITED_OCR
SIZES = (PageSize(999, 999), PageSize(1998, 999), PageSize(999, 1998))


def read(
    text: str, pages: int = 3, stop: Stop = Stop.END, family: Family = B
) -> tuple[Answer, list[Delta], tuple[PageAnswer, ...]]:
    """Return an answer that comes letter by letter, until it says to stop."""
    answer = Answer(family, SIZES[:pages])
    deltas: list[Delta] = []
    for letter in text:
        deltas += answer.feed(letter, None)
        if answer.stop is not None:
            stop = answer.stop
            break
    rest, found = answer.close(stop)
    return answer, deltas + rest, found


def test_pages_are_parted_and_have_their_own_sizes() -> None:
    text = (
        "<PAGE><|det|>title [1, 2, 3, 4]<|/det|>One\n"
        "<|det|>text [1, 2, 3, 4]<|/det|>more\n"
        "<PAGE><|det|>text [1, 2, 3, 4]<|/det|>Two\n"
        "<PAGE><|det|>text [1, 2, 3, 4]<|/det|>Three"
    )
    answer, deltas, pages = read(text)
    assert answer.stop is None
    assert [page.markdown for page in pages] == ["# One\n\nmore", "Two", "Three"]
    boxes = [page.blocks[0].box for page in pages]
    assert boxes == [Box(1, 2, 3, 4), Box(2, 2, 6, 4), Box(1, 4, 3, 8)]
    assert not any(page.truncated for page in pages)
    for index, page in enumerate(pages):
        assert "".join(one.markdown for one in deltas if one.page == index) == page.markdown
    assert [one.page for one in deltas] == sorted(one.page for one in deltas)


@pytest.mark.parametrize(
    ("text", "pages"),
    [
        ("<PAGE>a<PAGE>b<PAGE>c", ["a", "b", "c"]),
        ("a<PAGE>b<PAGE>c", ["a", "b", "c"]),
        (" \n<PAGE>a<PAGE>b<PAGE>c", ["a", "b", "c"]),
        ("<PAGE><PAGE>b<PAGE>", ["", "b", ""]),
        ("<PAGE>a<PAGE><|ref|>tex<PAGE>c", ["a", "<|ref|>tex", "c"]),
    ],
)
def test_a_mark_begins_a_page(text: str, pages: list[str]) -> None:
    _, _, found = read(text)
    assert [page.markdown for page in found] == pages
    assert not any(page.truncated for page in found)


def test_a_page_too_many_ends_the_text() -> None:
    answer, _, pages = read("<PAGE>a<PAGE>b<PAGE>c<PAGE>d")
    assert answer.stop is Stop.PAGES
    assert [page.markdown for page in pages] == ["a", "b", "c"]
    assert not any(page.truncated for page in pages)
    assert answer.feed("more", None) == []


def test_pages_that_are_missing_are_told() -> None:
    _, _, pages = read("<PAGE>a<PAGE>b")
    assert [(page.markdown, page.truncated) for page in pages] == [
        ("a", False),
        ("b", False),
        ("", True),
    ]


def test_the_page_at_which_a_text_is_cut_off_is_flagged() -> None:
    _, _, pages = read("<PAGE>a<PAGE>b", stop=Stop.LENGTH)
    assert [page.truncated for page in pages] == [False, True, True]
    assert not any(page.repetition for page in pages)


def test_a_loop_is_flagged_and_its_text_kept() -> None:
    rows = "".join(f"<|det|>image [{row}, 2, 999, 4]<|/det|>" for row in range(90))
    answer, _, pages = read(f"<PAGE>a<PAGE>b{rows}")
    assert answer.stop is Stop.LOOP
    assert [(page.markdown, page.repetition) for page in pages] == [
        ("a", False),
        ("b", True),
        ("", False),
    ]


def test_family_a_knows_no_marks_of_pages() -> None:
    _, _, (page,) = read("a <PAGE> b", pages=1, family=A)
    assert page.markdown == "a <PAGE> b"


def test_an_answer_about_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="about a page"):
        Answer(B, ())


@settings(max_examples=12)
@given(
    st.lists(st.sampled_from(["<PAGE>", "a", " ", "<|det|>text [1, 2, 3, 4]<|/det|>"]), max_size=20)
)
def test_every_page_has_an_answer(parts: list[str]) -> None:
    text = "".join(parts).lstrip()
    answer, deltas, pages = read("".join(parts))
    turns = text.count("<PAGE>") - text.startswith("<PAGE>")
    assert (answer.stop is Stop.PAGES) == (turns > 2)
    assert [page.truncated for page in pages] == [index > turns for index in range(3)]
    for index, page in enumerate(pages):
        assert "".join(one.markdown for one in deltas if one.page == index) == page.markdown

from itertools import pairwise

import pytest
from docparser_runtime.engine.generation.tags import PageBreak, Piece, Tag, TagReader, Text
from hypothesis import example, given, settings
from hypothesis import strategies as st

TITLE = "<|ref|>title<|/ref|><|det|>[[205, 132, 790, 157]]<|/det|>"
SHORT = "<|det|>title [33, 58, 372, 117]<|/det|>"


def pieces(text: str, cuts: list[int] | None = None, *, marks_pages: bool = True) -> list[Piece]:
    """Return what is read of `text`, which comes in pieces, with neighbouring texts joined."""
    reader = TagReader(marks_pages=marks_pages)
    ends = sorted({0, *(cut % (len(text) + 1) for cut in cuts or []), len(text)})
    found: list[Piece] = []
    for start, end in pairwise(ends):
        found += reader.feed(text[start:end])
    found += reader.close()
    joined: list[Piece] = []
    for piece in found:
        if isinstance(piece, Text) and joined and isinstance(joined[-1], Text):
            joined[-1] = Text(joined[-1].text + piece.text)
        else:
            joined.append(piece)
    return joined


def test_tags_of_both_families() -> None:
    assert pieces(TITLE + "\n# Hello") == [
        Tag("title", ((205, 132, 790, 157),)),
        Text("\n# Hello"),
    ]
    assert pieces("a" + SHORT + "b") == [Text("a"), Tag("title", ((33, 58, 372, 117),)), Text("b")]


def test_a_tag_may_have_several_boxes() -> None:
    text = "<|ref|>text<|/ref|>\n<|det|>[[1, 2, 3, 4], [5,6,7,8]]<|/det|>"
    assert pieces(text) == [Tag("text", ((1, 2, 3, 4), (5, 6, 7, 8)))]
    assert pieces("<|det|>[0,0,999,999]<|/det|>") == [Tag("", ((0, 0, 999, 999),))]


def test_corners_come_in_any_order() -> None:
    assert pieces("<|det|>text [9, 8, 3, 4]<|/det|>") == [Tag("text", ((3, 4, 9, 8),))]


def test_pages_are_marked_only_where_they_may_be() -> None:
    assert pieces("<PAGE>a<PAGE>") == [PageBreak(), Text("a"), PageBreak()]
    assert pieces("<PAGE>a", marks_pages=False) == [Text("<PAGE>a")]


@pytest.mark.parametrize(
    "text",
    [
        "<|ref|>text<|/ref|><|det|>[[1, 2, 3]]<|/det|>",
        "<|ref|>text<|/ref|><|det|>[[1, 2, 3, 1000]]<|/det|>",
        "<|ref|>text<|/ref|><|det|>[[1, 2, 3, -4]]<|/det|>",
        "<|ref|>text<|/ref|><|det|>__import__('os')<|/det|>",
        "<|ref|>text<|/ref|><|det|>[[1, 2, 3, 4] [5, 6, 7, 8]]<|/det|>",
        "<|ref|>text<|/ref|><|det|>[[1, 2, 3, 4],]<|/det|>",
        "<|ref|>text<|/ref|> and more",
        "<|ref|>text<|/ref|><|det|>[[1, 2",
        "<|det|>title<|/det|>",
        "<|det|>[]<|/det|>",
        "<|re",
        "a < b <| c <table><tr>",
        "<|ref|>" + "x" * 300 + "<|/ref|><|det|>[[1, 2, 3, 4]]<|/det|>"[:8],
    ],
)
def test_what_is_no_tag_stays_text(text: str) -> None:
    assert pieces(text) == [Text(text)]


def test_a_tag_within_a_broken_one_counts() -> None:
    assert pieces("<|ref|>te" + TITLE) == [Text("<|ref|>te"), Tag("title", ((205, 132, 790, 157),))]


def test_text_is_held_back_only_while_it_may_be_a_tag() -> None:
    reader = TagReader(marks_pages=True)
    assert [*reader.feed("a <")] == [Text("a ")]
    assert [*reader.feed("b")] == [Text("<b")]
    assert [*reader.feed("<|ref|>x")] == []
    assert [*reader.feed("<y")] == [Text("<|ref|>x<y")]
    assert [*reader.feed("<|det|>" + "1" * 3999)] == []
    assert [*reader.feed("11")] == [Text("<|det|>" + "1" * 4001)]


FRAGMENTS = st.sampled_from(
    [
        TITLE,
        SHORT,
        "<PAGE>",
        "<|ref|>",
        "<|/ref|>",
        "<|det|>",
        "<|/det|>",
        "[[1, 2, 3, 4]]",
        "<",
        "|",
        "text ",
        "\n",
        "<table>",
    ]
)


@settings(max_examples=20)
@given(st.lists(FRAGMENTS, max_size=12).map("".join), st.lists(st.integers(0, 400), max_size=30))
@example(TITLE, [*range(len(TITLE))])
def test_where_a_text_is_cut_does_not_matter(text: str, cuts: list[int]) -> None:
    assert pieces(text, cuts) == pieces(text)
    assert pieces(text, [*range(len(text))]) == pieces(text)


@settings(max_examples=20)
@given(st.text(alphabet="<|>[]0123456789,rdeft/ PAG", max_size=80))
def test_no_text_is_lost(text: str) -> None:
    found = pieces(text)
    if all(isinstance(piece, Text) for piece in found):
        assert "".join(piece.text for piece in found if isinstance(piece, Text)) == text

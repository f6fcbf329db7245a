from collections.abc import Iterable

import pytest
from docparser_runtime.engine.base import Block, BlockKind, Box
from docparser_runtime.engine.generation.page_text import PageSize, PageText
from docparser_runtime.engine.generation.tags import Tag, TagReader, Text
from hypothesis import given, settings
from hypothesis import strategies as st

SIZE = PageSize(1998, 999)
"""One thousandth of its width is two pixels, of its height one."""

PAGE_A = """<|ref|>title<|/ref|><|det|>[[100, 10, 900, 40]]<|/det|>
# A *title*

<|ref|>text<|/ref|><|det|>[[100, 50, 900, 90], [100, 90, 400, 100]]<|/det|>
First line
second line  

<|ref|>image<|/ref|><|det|>[[100, 110, 900, 300]]<|/det|>

<|ref|>image_caption<|/ref|><|det|>[[100, 310, 900, 320]]<|/det|>
<center>Figure 1 | A caption </center>

<|ref|>table<|/ref|><|det|>[[100, 350, 900, 500]]<|/det|>
<|ref|>table_caption<|/ref|><|det|>[[100, 330, 900, 340]]<|/det|>
Table 1

<table><tr><td>a</td><td>b</td></tr><tr><td>1</td><td></td></tr></table>

<|ref|>sub_title<|/ref|><|det|>[[100, 510, 900, 520]]<|/det|>
### 1. Part

<|ref|>text<|/ref|><|det|>[[100, 530, 900, 540]]<|/det|>
- one
- two
"""  # noqa: W291 - models end lines so

MARKDOWN_A = """# A *title*

First line
second line

Figure 1 | A caption

Table 1

| a | b |
| --- | --- |
| 1 |  |

### 1. Part

- one
- two"""


def read(pieces: Iterable[str], size: PageSize = SIZE) -> tuple[PageText, str]:
    """Return a page, and all that it gave out on the way."""
    page, reader = PageText(size), TagReader(marks_pages=False)
    out = ""
    for piece in [*pieces, None]:
        for part in reader.close() if piece is None else reader.feed(piece):
            if isinstance(part, Tag):
                out += page.begin(part)
            elif isinstance(part, Text):
                out += page.write(part.text, None)
    out += page.close()
    return page, out


def test_a_page_of_family_a() -> None:
    page, out = read([PAGE_A])
    assert out == page.markdown == MARKDOWN_A
    kinds = [(block.kind, block.text, block.level) for block in page.blocks]
    assert kinds == [
        (BlockKind.TITLE, "A *title*", 1),
        (BlockKind.PARAGRAPH, "First line second line", None),
        (BlockKind.PARAGRAPH, "Figure 1 | A caption", None),
        (BlockKind.PARAGRAPH, "Table 1", None),
        (BlockKind.TABLE, "a\tb\n1\t", None),
        (BlockKind.HEADING, "1. Part", 3),
        (BlockKind.LIST, "- one\n- two", None),
    ]


def test_boxes_are_pixels_of_the_page() -> None:
    page, _ = read([PAGE_A])
    boxes = [block.box for block in page.blocks]
    assert boxes[0] == Box(200, 10, 1800, 40)
    assert boxes[1] == Box(200, 50, 1800, 100)
    assert boxes[3] == Box(200, 330, 1800, 340)
    assert boxes[4] == Box(200, 350, 1800, 500)
    whole, _ = read(["<|det|>text [0, 0, 999, 999]<|/det|>a"], PageSize(640, 480))
    assert whole.blocks[0].box == Box(0, 0, 640, 480)


def test_a_page_of_family_b() -> None:
    page, _ = read(
        [
            "<|det|>title [1, 2, 3, 4]<|/det|>R&D QUALITY\nSUGGESTION\n",
            "<|det|>text [1, 5, 3, 6]<|/det|>Some words.<|det|>image [1, 7, 3, 9]<|/det|>",
        ]
    )
    assert page.markdown == "# R&D QUALITY SUGGESTION\n\nSome words."
    assert [block.kind for block in page.blocks] == [BlockKind.TITLE, BlockKind.PARAGRAPH]
    assert page.blocks[0].text == "R&D QUALITY SUGGESTION"


def test_text_without_tags_has_no_blocks() -> None:
    page, _ = read(["Plain text.\n\nMore of it.\n"])
    assert page.markdown == "Plain text.\n\nMore of it."
    assert page.blocks == ()


def test_text_before_the_first_tag_is_a_block_of_the_whole_page() -> None:
    page, _ = read(["Stray ", "<|det|>text [1, 2, 3, 4]<|/det|>b"])
    assert page.markdown == "Stray\n\nb"
    assert page.blocks[0].box == SIZE.box


def test_broken_tags_stay_as_text() -> None:
    page, _ = read(["<|ref|>text<|/ref|><|det|>[[1, 2]]<|/det|>\nWords"])
    assert page.markdown == "<|ref|>text<|/ref|><|det|>[[1, 2]]<|/det|>\nWords"


def test_text_that_is_pointed_to_is_text() -> None:
    page, _ = read(["<|ref|>Lessard & Co<|/ref|><|det|>[[1, 2, 3, 4]]<|/det|>\n" * 2])
    assert page.markdown == "Lessard & Co\n\nLessard & Co"
    assert page.blocks[1].box == Box(2, 2, 6, 4)


@pytest.mark.parametrize(
    ("text", "markdown"),
    [
        ("a<table><tr><td>1</td></tr></table>b", "a\n\n| 1 |\n| --- |\n\nb"),
        ("<table><tr><td>1</td><td>2", "| 1 | 2 |\n| --- | --- |"),
        ("<table></table>x", "x"),
        ("a <b> <tab", "a <b> <tab"),
        ("<center>a</center> b", "a b"),
        (
            "<tablet> and <table border='1'><tr><td>1</td></tr></table>",
            "<tablet> and\n\n| 1 |\n| --- |",
        ),
        ("x < y", "x < y"),
    ],
)
def test_marks_within_text(text: str, markdown: str) -> None:
    assert read([text])[0].markdown == markdown


def test_a_second_table_under_one_tag_has_its_place_and_a_later_one_not() -> None:
    table = "<table><tr><td>1</td></tr></table>"
    page, _ = read(
        [
            f"<|det|>table [1, 2, 3, 4]<|/det|>{table}{table}",
            f"<|det|>text [5, 6, 7, 8]<|/det|>{table}",
        ]
    )
    assert [block.box.left for block in page.blocks] == [2, 2, 10]


def test_confidence_is_the_mean_of_what_is_known() -> None:
    page = PageText(SIZE)
    page.begin(Tag("text", ((1, 2, 3, 4),)))
    page.write("a ", 0.5)
    page.write("b ", None)
    page.write("c", 1.0)
    page.begin(Tag("text", ((1, 2, 3, 4),)))
    page.write("d", None)
    page.close()
    assert [block.confidence for block in page.blocks] == [0.75, None]


def test_the_same_blocks_again_and_again_are_a_loop() -> None:
    page = PageText(SIZE)
    for number in range(100):
        page.begin(Tag("image", ((number, 2, number + 1, 4),)))
        if page.is_looping:
            break
    assert 55 < number < 65
    page, _ = read([f"<|det|>text [1, 2, 3, 4]<|/det|>Row {number}" for number in range(100)])
    assert not page.is_looping


FRAGMENTS = st.sampled_from(
    [
        "<|ref|>text<|/ref|><|det|>[[1, 2, 3, 4]]<|/det|>",
        "<|det|>title [1, 2, 3, 4]<|/det|>",
        "<table><tr><td>",
        "</td></tr></table>",
        "<center>",
        "# ",
        "word",
        " ",
        "\n\n",
        "<",
    ]
)


@settings(max_examples=20)
@given(st.lists(FRAGMENTS, max_size=14).map("".join))
def test_where_a_text_is_cut_does_not_matter(text: str) -> None:
    whole, _ = read([text])
    cut, out = read(text)
    assert cut.markdown == out == whole.markdown
    assert cut.blocks == whole.blocks
    assert whole.blocks == () or _joined(whole.blocks) == whole.markdown


def _joined(blocks: Iterable[Block]) -> str:
    return "\n\n".join(block.markdown for block in blocks)

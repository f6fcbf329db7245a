from collections.abc import Callable, Sequence

import pytest
from docparser_runtime.engine.base import Block, BlockKind, Box
from docparser_runtime.outputs.furniture import FurnitureFinder, furniture
from docparser_runtime.outputs.margins import MARGIN
from docparser_runtime.outputs.pages import OutputPage
from hypothesis import given, settings
from hypothesis import strategies as st
from unit.runtime.outputs.samples import HEIGHT, WIDTH, a_block, a_page

TOP, BOTTOM = 50, 1340
WORDS = [
    "alder",
    "birch",
    "cedar",
    "dogwood",
    "elm",
    "fir",
    "ginkgo",
    "hazel",
    "ivy",
    "juniper",
    "larch",
    "maple",
]


def body(index: int, top: float = 200) -> Block:
    text = f"{WORDS[index % len(WORDS)]} grows where others do not. " * 6
    return a_block(text, top, height=800)


def pages_with(line: Callable[[int], str], top: float, count: int = 4) -> list[OutputPage]:
    """Return pages with running text and one line each at `top`."""
    return [
        a_page(index, *sorted((a_block(line(index), top), body(index)), key=lambda b: b.box.top))
        for index in range(count)
    ]


def dropped(pages: Sequence[OutputPage]) -> list[list[str]]:
    found = furniture(pages)
    return [
        [page.blocks[block].text for block in sorted(found.get(page.index, ()))] for page in pages
    ]


@pytest.mark.parametrize("top", [TOP, BOTTOM])
@pytest.mark.parametrize(
    "line",
    [
        lambda _: "Journal of Paper, Volume 12",
        lambda _: "CONFIDENTIAL",
        lambda _: "年度报告",
        lambda index: f"{index + 17}",
        lambda index: f"- {index + 1} -",
        lambda index: f"Page {index + 1} of 4",
        lambda index: f"Seite {index + 1}",
        lambda index: f"{index + 3} / 200",
        lambda index: f"第 {index + 3} 页",
        lambda index: ["iii", "iv", "v", "vi"][index],
        lambda index: f"Journal of Paper | {index + 99}",
        lambda index: f"{index + 99}   A Field Guide",
        lambda index: f"Report 2024-03, page {index + 2}",
    ],
)
def test_what_recurs_at_an_end_of_the_page_is_found(line: Callable[[int], str], top: float) -> None:
    pages = pages_with(line, top)
    assert dropped(pages) == [[line(index)] for index in range(4)]


@pytest.mark.parametrize(
    "line",
    [
        lambda index: f"Invoice No. {index + 1001}",
        lambda index: f"Ref: {index + 7}",
        lambda index: f"Room {index * 3}",
        lambda index: f"On day {index + 1} of the journey it rained.",
        lambda _: "Name of the patient:",
        lambda index: WORDS[index],
        lambda _: "—",
    ],
)
def test_what_belongs_to_the_page_stays(line: Callable[[int], str]) -> None:
    assert dropped(pages_with(line, TOP)) == [[]] * 4


def test_a_name_alone_needs_three_pages_and_a_number_two() -> None:
    assert dropped(pages_with(lambda _: "Annual Report", TOP, 2)) == [[], []]
    assert dropped(pages_with(lambda index: f"{index + 1}", BOTTOM, 2)) == [["1"], ["2"]]


def test_headers_of_left_and_right_pages_are_told_apart() -> None:
    pages = pages_with(lambda index: ("Ann Author", "A Long Story")[index % 2], TOP, 7)
    assert dropped(pages) == [[page.blocks[0].text] for page in pages]


def test_a_misread_header_is_still_the_same() -> None:
    names = ["The Journal of Paper", "The Joumal of Paper", "The Journal of Paper"]
    pages = pages_with(lambda index: names[index], TOP, 3)
    assert dropped(pages) == [[name] for name in names]


def test_headers_of_two_rows_and_two_sides_are_found_whole() -> None:
    pages = [
        a_page(
            index,
            a_block("Annual Report", TOP, right=400),
            a_block(f"{index + 1}", TOP + 2, left=800),
            a_block("Draft of March", TOP + 26),
            body(index),
        )
        for index in range(3)
    ]
    assert furniture(pages) == {index: frozenset({0, 1, 2}) for index in range(3)}


def test_a_line_that_touches_the_text_is_text() -> None:
    pages = [
        a_page(index, a_block("Date Amount Balance", 60), body(index, 60 + 20 + 15))
        for index in range(5)
    ]
    assert furniture(pages) == {}


def test_a_line_below_a_title_is_no_header() -> None:
    pages = [
        a_page(
            index,
            a_block(f"{WORDS[index]} trees", 40, kind=BlockKind.HEADING),
            a_block("by Ann Author", 90),
            body(index),
        )
        for index in range(5)
    ]
    assert furniture(pages) == {}


def test_titles_and_tables_are_no_furniture() -> None:
    pages = [
        a_page(index, a_block("Delivery Note", TOP, kind=kind), body(index))
        for index, kind in enumerate([BlockKind.TITLE, BlockKind.HEADING] * 3)
    ]
    assert furniture(pages) == {}


def test_pages_of_nothing_else_keep_their_text() -> None:
    assert furniture([a_page(index, a_block(f"Page {index + 1}", TOP)) for index in range(4)]) == {}


def test_an_empty_page_in_between_changes_nothing() -> None:
    pages = pages_with(lambda index: f"Page {index + 1}", BOTTOM, 5)
    pages[2] = a_page(2)
    assert dropped(pages) == [["Page 1"], ["Page 2"], [], ["Page 4"], ["Page 5"]]


def test_lines_far_apart_in_the_document_do_not_recur() -> None:
    pages = pages_with(lambda index: "Summary" if index % 5 == 0 else WORDS[index % 12], TOP, 20)
    assert dropped(pages) == [[]] * 20


def test_a_page_without_size_has_no_margins() -> None:
    page = OutputPage(0, 0, 0, "1", (a_block("1"),))
    assert furniture([page]) == {}


def test_a_long_document_is_remembered_only_as_far_as_needed() -> None:
    finder = FurnitureFinder()
    for index in range(300):
        finder.add(a_page(index, a_block(f"{WORDS[index % 12]} {index}", TOP), body(index)))
        assert len(finder._runs) <= 8


boxes = st.builds(
    lambda left, top, width, height: Box(left, top, left + width, top + height),
    st.integers(0, WIDTH),
    st.integers(0, HEIGHT),
    st.integers(1, WIDTH),
    st.integers(1, 100),
)
texts = st.sampled_from([*WORDS[:3], "1", "2", "3", "Page 1", "Page 2", "ii", "A line."])
blocks = st.builds(
    lambda kind, text, box: Block(kind, text, text, box), st.sampled_from(BlockKind), texts, boxes
)
documents = st.lists(st.lists(blocks, max_size=5), min_size=1, max_size=6).map(
    lambda pages: [a_page(index, *blocks) for index, blocks in enumerate(pages)]
)


@settings(max_examples=30)
@given(st.lists(blocks, max_size=8))
def test_a_single_page_has_no_furniture(found: list[Block]) -> None:
    assert furniture([a_page(0, *found)]) == {}


@settings(max_examples=30)
@given(documents)
def test_furniture_recurs_at_the_ends_of_pages(pages: list[OutputPage]) -> None:
    found = furniture(pages)
    assert len(found) != 1
    for index, indexes in found.items():
        for block in indexes:
            box = pages[index].blocks[block].box
            middle = (box.top + box.bottom) / 2 / HEIGHT
            assert middle <= MARGIN or middle >= 1 - MARGIN

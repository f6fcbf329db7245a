import tracemalloc
from collections.abc import Sequence

import pytest
from docparser_runtime.engine.base import Block, BlockKind
from docparser_runtime.outputs.joining import Join, Joiner, joined_text
from docparser_runtime.outputs.options import Form, HeadersFooters, Tables
from docparser_runtime.outputs.pages import OutputPage
from docparser_runtime.outputs.rendering import Style
from markdown_it import MarkdownIt
from unit.runtime.outputs.samples import a_block, a_page, a_table

PLAIN = Style(Form.PLAIN)
HTML_TABLES = Style(tables=Tables.HTML)
LONG = "一二三四五六七八九十" * 2


def text_of(
    pages: Sequence[OutputPage],
    style: Style | None = None,
    furniture: dict[int, set[int]] | None = None,
    headers_footers: HeadersFooters = HeadersFooters.KEEP,
) -> str:
    joiner = Joiner(style, headers_footers)
    return "".join(joined_text(pages, joiner, furniture or {}))


def joined(first: Block, second: Block) -> str:
    return text_of([a_page(0, first), a_page(1, second)])


@pytest.mark.parametrize(
    ("first", "second", "whole"),
    [
        ("The quick brown", "fox jumps.", "The quick brown fox jumps."),
        ("It was, he said,", "a mistake.", "It was, he said, a mistake."),
        ("An exam-", "ple of it.", "An example of it."),
        ("An exam\u00ad", "ple of it.", "An example of it."),
        ("pages 3 -", "as it were", "pages 3 - as it were"),
        ("as shown (see p. 3)", "by others", "as shown (see p. 3) by others"),
        ("He said", "\u201cno\u201d and left", "He said \u201cno\u201d and left"),
        ("of the of\ufb01", "\ufb01cial sort", "of the of\ufb01 \ufb01cial sort"),
        (LONG, "十年树木。", LONG + "十年树木。"),
        ("кот и", "пёс", "кот и пёс"),
        ("بعد" * 20, "بعد ذلك", "بعد" * 20 + " بعد ذلك"),
        ("나" * 50, "다음에", "나" * 50 + " 다음에"),
    ],
)
def test_a_paragraph_goes_on_over_the_page_break(first: str, second: str, whole: str) -> None:
    assert joined(a_block(first), a_block(second)) == whole


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("It ends here.", "and yet it moves"),
        ("It ends here.\u201d", "and yet it moves"),
        ("Is it?)", "and yet it moves"),
        ("The quick brown", "Fox jumps."),
        ("as follows:", "one thing"),
        ("Baden-", "Württemberg"),
        ("in the year", "1998 it rained"),
        ("the items are", "a) this one"),
        ("Figure 3 The quick brown", "fox jumps."),
        ("短い題", "本文が続く。"),
        (LONG, "第二章 树"),
        (LONG, "「はい」と言った。"),
        (LONG + "。", "十年树木。"),
        ("عنوان", "بعد ذلك"),
    ],
)
def test_other_paragraphs_stay_apart(first: str, second: str) -> None:
    blocks = a_block(first), a_block(second)
    assert joined(*blocks) == f"{blocks[0].markdown}\n\n{blocks[1].markdown}"


def test_the_last_item_of_a_list_goes_on() -> None:
    items = a_block("• one\n• two and", kind=BlockKind.LIST)
    assert joined(items, a_block("a half")) == "- one\n- two and a half"


@pytest.mark.parametrize("kind", [BlockKind.TITLE, BlockKind.HEADING])
def test_headings_do_not_go_on(kind: BlockKind) -> None:
    assert "\n\n" in joined(a_block("On the", kind=kind), a_block("origin of"))
    assert "\n\n" in joined(a_block("On the"), a_block("origin of", kind=kind))


def test_only_neighbouring_and_complete_pages_are_joined() -> None:
    first, second = a_block("The quick brown"), a_block("fox jumps.")
    apart = "The quick brown\n\nfox jumps."
    assert text_of([a_page(0, first), a_page(2, second)]) == apart
    assert text_of([a_page(0, first, is_cut=True), a_page(1, second)]) == apart
    assert text_of([a_page(0, first), a_page(1), a_page(2, second)]) == apart


def furnished() -> list[OutputPage]:
    return [
        a_page(0, a_block("Story"), a_block("The quick"), a_block("1")),
        a_page(1, a_block("Story"), a_block("brown fox jumps."), a_block("2")),
    ]


def test_furniture_parts_nothing_and_follows_when_kept() -> None:
    furniture = {0: {0, 2}, 1: {0, 2}}
    kept = text_of(furnished(), furniture=furniture)
    assert kept == "Story\n\nThe quick brown fox jumps.\n\n1\n\nStory\n\n2"
    dropped = text_of(furnished(), None, furniture, HeadersFooters.DROP)
    assert dropped == "The quick brown fox jumps."


def test_joins_are_reported() -> None:
    joiner = Joiner()
    pages = [*furnished(), a_page(2, a_table("a,b", "1,2")), a_page(3, a_table("a,b", "3,4"))]
    "".join(joined_text(pages, joiner, {0: {0, 2}, 1: {0, 2}}))
    assert joiner.joins == [Join(1, 1, 1, is_table=False), Join(3, 0, 0, is_table=True)]


def test_text_goes_out_page_by_page() -> None:
    joiner = Joiner()
    parts = [joiner.feed(a_page(0, a_block("A"), a_block("An exam-")))]
    parts.append(joiner.feed(a_page(1, a_block("ple is"))))
    parts.append(joiner.feed(a_page(2, a_block("This too-"))))
    parts.append(joiner.finish())
    assert parts == ["A\n\nAn exam", "ple is", "\n\nThis too", "-"]


def test_a_table_goes_on_without_its_repeated_head() -> None:
    whole = joined(a_table("Item,Mass", "Oak,7"), a_table("ltem, mass", "Fir,9"))
    assert whole == "| Item | Mass |\n| --- | --- |\n| Oak | 7 |\n| Fir | 9 |"


def test_a_table_goes_on_without_a_head() -> None:
    whole = joined(a_table("Item,Mass", "Oak,7"), a_table("Fir,9", "Elm,3"))
    assert whole.splitlines()[2:] == ["| Oak | 7 |", "| Fir | 9 |", "| Elm | 3 |"]


@pytest.mark.parametrize(
    "other",
    [
        a_table("Tree,Height", "Fir,9"),
        a_table("Fir,9,2"),
        a_table("Fir,9", right=600),
        a_block("fir"),
    ],
)
def test_other_tables_stay_apart(other: Block) -> None:
    assert "\n\n" in joined(a_table("Item,Mass", "Oak,7"), other)


def test_a_table_of_many_pages_has_one_head() -> None:
    pages = [a_page(index, a_table("Item,Mass", f"Oak,{index}")) for index in range(4)]
    assert text_of(pages).count("Item") == 1
    html = text_of(pages, HTML_TABLES)
    assert html.count("<thead>") == html.count("</table>") == 1
    assert html.count("<tr>") == 5
    assert text_of(pages, PLAIN) == "Item\tMass\nOak\t0\nOak\t1\nOak\t2\nOak\t3"


def test_a_table_in_two_pieces_goes_on_under_its_first_head() -> None:
    pieces = a_table("Item,Mass", "Oak,7"), a_table("Elm,3", "Yew,2")
    pages = [a_page(0, *pieces), a_page(1, a_table("Item,Mass", "Fir,9"))]
    assert text_of(pages).count("Item") == 1
    apart = [a_page(0, pieces[0], a_table("Tree,Age", "Elm,3")), pages[1]]
    assert text_of(apart).count("Item") == 2


def test_tables_as_html_within_markdown_are_one_html_block_each() -> None:
    pages = [
        a_page(0, a_block("before"), a_table("<b>,*", "Oak,7")),
        a_page(1, a_table("Fir,9"), a_block("After.")),
    ]
    tokens = MarkdownIt("commonmark").parse(text_of(pages, HTML_TABLES))
    assert [token.type for token in tokens if token.level == 0] == [
        "paragraph_open",
        "paragraph_close",
        "html_block",
        "paragraph_open",
        "paragraph_close",
    ]
    assert "&lt;b&gt;" in tokens[3].content
    assert "Fir" in tokens[3].content


def test_pages_without_blocks_are_joined_by_their_markdown() -> None:
    pages = [
        OutputPage(0, 10, 10, "# Title\n\nThe quick"),
        OutputPage(1, 10, 10, "brown *fox*.\n\n| a | b |\n|---|---|\n| 1 | 2 |"),
        OutputPage(2, 10, 10, "| a | b |\n|---|---|\n| 3 | 4 |\n\n```\ncode\n\nmore\n```"),
        OutputPage(3, 10, 10, "goes not on"),
    ]
    text = text_of(pages)
    assert text.startswith("# Title\n\nThe quick brown *fox*.\n\n| a")
    # The last table stands beside code, of which nobody looks for the parts.
    assert text.endswith("more\n```\n\ngoes not on")
    assert text_of(pages[:2]).endswith("| 1 | 2 |")
    assert text_of([*pages[:2], OutputPage(2, 9, 9, "| a | b |\n|-|-|\n| 3 | 4 |")]).endswith(
        "| 1 | 2 |\n| 3 | 4 |"
    )


def test_nothing_makes_nothing() -> None:
    assert text_of([]) == ""
    assert text_of([a_page(0), OutputPage(1, 1, 1, " \n")]) == ""


def test_memory_is_that_of_a_page() -> None:
    joiner = Joiner()
    paragraph = "word " * 200

    def feed(start: int, count: int) -> None:
        for index in range(start, start + count):
            blocks = [a_block(paragraph) for _ in range(5)]
            joiner.feed(a_page(index, a_block("x"), *blocks, a_block("9")), {0, 6})

    feed(0, 5)
    tracemalloc.start()
    feed(5, 200)
    grown, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(joiner.joins) == 204
    assert grown < 100_000

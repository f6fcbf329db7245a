from html.parser import HTMLParser

import pytest
from docparser_runtime.engine.base import Block, BlockKind, Box
from docparser_runtime.outputs import html
from docparser_runtime.outputs.pages import OutputPage
from hypothesis import given, settings
from hypothesis import strategies as st
from unit.runtime.outputs.samples import a_block, a_page, a_table

TAGS = frozenset(
    [
        "html",
        "head",
        "meta",
        "title",
        "body",
        "section",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "p",
        "ul",
        "ol",
        "li",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "div",
        "em",
        "strong",
        "code",
        "pre",
        "br",
        "hr",
        "blockquote",
    ]
)
ATTRIBUTES = frozenset(
    [
        "charset",
        "http-equiv",
        "content",
        "name",
        "data-page",
        "data-width",
        "data-height",
        "data-block",
        "data-box",
        "dir",
        "scope",
        "value",
        "start",
        "style",
        "class",
    ]
)


HEAD = '<tr><th scope="col" dir="auto">a</th><th scope="col" dir="auto">b</th></tr>'
ROW = '<tr><td dir="auto">1</td><td dir="auto">&lt;i&gt;</td></tr>'


class Reader(HTMLParser):
    """Collects what a browser would: elements, their attributes and the text."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text: list[str] = []
        self.others: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes.extend(attrs)

    def handle_data(self, data: str) -> None:
        self.text.append(data)

    def handle_comment(self, data: str) -> None:
        self.others.append(data)

    def handle_pi(self, data: str) -> None:
        self.others.append(data)

    def unknown_decl(self, data: str) -> None:
        self.others.append(data)


def read(markup: str) -> Reader:
    reader = Reader()
    reader.feed(markup)
    reader.close()
    return reader


def ul(*items: str) -> str:
    return "\n".join(["<ul>", *(f'<li dir="auto">{item}</li>' for item in items), "</ul>"])


def squeezed(text: str) -> str:
    return "".join(text.split())


@pytest.mark.parametrize(
    ("block", "markup"),
    [
        (a_block("a < b"), '<p dir="auto">a &lt; b</p>'),
        (a_block("On <it>", kind=BlockKind.HEADING), '<h2 dir="auto">On &lt;it&gt;</h2>'),
        (
            Block(BlockKind.TITLE, "T", "# T", Box(0, 0, 1, 1), level=1),
            '<h1 dir="auto">T</h1>',
        ),
        (
            a_block("• one\n- two\n(a) three", kind=BlockKind.LIST),
            ul("one", "two", "(a) three"),
        ),
        (
            a_block("3. one\n4. two", kind=BlockKind.LIST),
            '<ol>\n<li dir="auto" value="3">one</li>\n<li dir="auto" value="4">two</li>\n</ol>',
        ),
        (
            a_table("a,b", "1,<i>"),
            f"<table>\n<thead>\n{HEAD}\n</thead>\n<tbody>\n{ROW}\n</tbody>\n</table>",
        ),
    ],
)
def test_blocks_become_elements(block: Block, markup: str) -> None:
    assert html.element(block) == markup


def test_a_list_of_two_kinds_is_two_lists() -> None:
    markup = html.element(a_block("1. one\n• two", kind=BlockKind.LIST), ' data-block="0"')
    assert read(markup).tags == ["div", "ol", "li", "ul", "li"]
    assert read(markup).attributes[0] == ("data-block", "0")


def test_places_of_pages_and_blocks_are_attributes() -> None:
    markup = html.section(a_page(3, a_block("gone"), a_block("kept", 100.5)), {0})
    assert read(markup).attributes == [
        ("data-page", "3"),
        ("data-width", "1000"),
        ("data-height", "1400"),
        ("dir", "auto"),
        ("data-block", "1"),
        ("data-box", "100 100.5 900 120.5"),
    ]
    assert "gone" not in markup


def test_a_document_is_whole_and_loads_nothing() -> None:
    pages = [a_page(0, a_block("one"), a_block("9")), a_page(1, a_block("two"))]
    markup = "".join(html.document(pages, "A <title>", {0: {1}}))
    reader = read(markup)
    assert markup.startswith("<!doctype html>")
    assert reader.tags.count("section") == 2
    assert squeezed("".join(reader.text)) == "A<title>onetwo"
    assert ("content", "default-src 'none'") in reader.attributes


def test_markdown_of_engines_without_blocks_is_rendered_but_leads_nowhere() -> None:
    markdown = "# T\n\n*a* ![x](http://e/x.png) [y](javascript:z) <http://e> <script>1</script>"
    markup = html.section(OutputPage(0, 10, 10, markdown + "\n\n[y]: http://e\n\n|a|\n|-|\n|b|"))
    reader = read(markup)
    assert {"h1", "em", "table"} <= {*reader.tags} <= TAGS
    assert {name for name, _ in reader.attributes} <= ATTRIBUTES
    assert "[y](javascript:z)" in "".join(reader.text)


hostile = st.text("<>&\"'=/!-?[]() \n\t`*_|#~:;x1\0\x1b\u202e\ud800\u00e9", max_size=30) | st.text(
    max_size=20
)
blocks = st.builds(
    lambda kind, text: Block(kind, text, text, Box(0, 1, 2, 3)), st.sampled_from(BlockKind), hostile
)


@settings(max_examples=40)
@given(st.lists(blocks, min_size=1, max_size=4), hostile)
def test_nothing_that_was_read_becomes_markup(found: list[Block], title: str) -> None:
    reader = read("".join(html.document([a_page(0, *found)], title, {})))
    assert {*reader.tags} <= TAGS
    assert {name for name, _ in reader.attributes} <= ATTRIBUTES
    assert not reader.others
    if all(block.kind is not BlockKind.LIST for block in found):
        said = html._UNPRINTABLE.sub("\ufffd", title + "".join(block.text for block in found))
        # A table's empty lines and cells leave nothing behind.
        assert squeezed("".join(reader.text)) == squeezed(said.replace("\r", "\n"))


@settings(max_examples=40)
@given(hostile)
def test_markdown_never_becomes_active(markdown: str) -> None:
    reader = read(html.section(OutputPage(0, 1, 1, markdown)))
    assert {*reader.tags} <= TAGS
    assert {name for name, _ in reader.attributes} <= ATTRIBUTES
    assert not reader.others

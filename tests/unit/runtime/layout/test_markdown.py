import pytest
from docparser_runtime.layout import markdown
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

HARD_LETTERS = "#*_-+=>|~`\\[]()<>&!.: 1aB\u00e9;/"


def shown(source: str, *kinds: str) -> str:
    """Return the text that a reader of `source` sees; its blocks must be of these kinds only."""
    tokens = MarkdownIt("commonmark").enable("table").enable("strikethrough").parse(source)
    assert {token.tag for token in tokens if token.tag} == {*kinds}
    children = [child for token in tokens for child in token.children or ()]
    assert {child.type for child in children} <= {"text", "text_special"}
    return "".join(child.content for child in children)


def words(text: str) -> str:
    return " ".join(text.split())


@given(st.text(HARD_LETTERS, min_size=1).map(words).filter(bool))
def test_a_paragraph_shows_its_text(text: str) -> None:
    assert shown(markdown.escaped(text), "p") == text


@given(st.text(HARD_LETTERS, min_size=1).map(words).filter(bool))
def test_a_heading_shows_its_text(text: str) -> None:
    assert shown(markdown.heading(text, 2), "h2") == text


@given(st.text(HARD_LETTERS, min_size=1).map(words).filter(bool))
def test_a_cell_shows_its_text(text: str) -> None:
    source = markdown.table([["head", "other"], [text, ""]])
    assert shown(source, "table", "thead", "tbody", "tr", "th", "td") == f"headother{text}"


@pytest.mark.parametrize(
    "text",
    [
        "Prices (net) are 5 * 3 = 15 EUR, i.e. +20 %, at snake_case & Co. [sic]!",
        'He said: "No." - and left; 3 < 4 > 2, #1 of ~40 people.',
        "C# and a|b; see section 2.1 (page 3).",
    ],
)
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert markdown.escaped(text) == text


@pytest.mark.parametrize(
    ("mark", "text", "item"),
    [
        ("•", "one", "- one"),
        ("2.", "two", "2. two"),
        ("3)", "three", "3) three"),
        ("(a)", "four", "- (a) four"),
        ("-", "# five", "- \\# five"),
    ],
)
def test_items(mark: str, text: str, item: str) -> None:
    assert markdown.list_item(mark, text) == item


def test_a_table_has_a_head_and_equal_rows() -> None:
    assert markdown.table([["a", "b"], ["c|d", "e\nf"]]) == (
        "| a | b |\n| --- | --- |\n| c\\|d | e f |"
    )

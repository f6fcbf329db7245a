import re
from collections import Counter
from collections.abc import Sequence

from docparser_runtime.engine.base import Block, BlockKind
from docparser_runtime.outputs.joining import Joiner, joined_text
from docparser_runtime.outputs.options import Form, Tables
from docparser_runtime.outputs.pages import OutputPage
from docparser_runtime.outputs.rendering import Style
from hypothesis import given, settings
from hypothesis import strategies as st
from unit.runtime.outputs.samples import a_block, a_page, a_table

PLAIN = Style(Form.PLAIN)
HTML_TABLES = Style(tables=Tables.HTML)

words = st.sampled_from(
    [
        "oak",
        "Oak",
        "elm-",
        "fir.",
        "larch,",
        "7",
        "(see",
        "it)",
        "Äpfel",
        "ja:",
        "café",
        "树",
        "a-b",
    ]
)
sentences = st.lists(words, min_size=1, max_size=6).map(" ".join)
cells = st.lists(st.sampled_from(["oak", "7", "mass", "", "x y"]), min_size=2, max_size=2)
tables = st.lists(cells.map(",".join), min_size=1, max_size=3).map(lambda rows: a_table(*rows))
kinds = st.sampled_from([BlockKind.PARAGRAPH, BlockKind.PARAGRAPH, BlockKind.HEADING])
any_block = st.builds(lambda text, kind: a_block(text, kind=kind), sentences, kinds) | tables
documents = st.lists(st.lists(any_block, max_size=3), max_size=6)
marks = st.dictionaries(st.integers(0, 5), st.sets(st.integers(0, 2)), max_size=6)
styles = st.sampled_from([Style(), PLAIN, HTML_TABLES])


def repeated_heads(joiner: Joiner, pages: Sequence[OutputPage]) -> list[str]:
    """Return the first rows of tables that were joined; of them, words may be gone."""
    places = [(join.page, join.second_block) for join in joiner.joins if join.is_table]
    return [pages[page].blocks[block or 0].text.split("\n")[0] for page, block in places]


@settings(max_examples=40)
@given(documents, marks, styles)
def test_no_word_is_lost(
    blocks: list[list[Block]], furniture: dict[int, set[int]], style: Style
) -> None:
    pages = [a_page(index, *found) for index, found in enumerate(blocks)]
    joiner = Joiner(style)
    text = "".join(joined_text(pages, joiner, furniture))
    said = letters(re.sub(r"</?(?:table|thead|tbody|tr|th|td)\b[^>]*>|\|| --- ", " ", text))
    given_ = letters(" ".join(block.text for page in pages for block in page.blocks))
    heads = letters(" ".join(repeated_heads(joiner, pages)))
    assert not said - given_
    assert not given_ - said - heads


def letters(text: str) -> Counter[str]:
    """Return the letters and digits of `text`: hyphens at page breaks may be gone."""
    return Counter(letter for letter in text if letter.isalnum())


@settings(max_examples=40)
@given(documents, styles)
def test_words_change_only_at_joins(blocks: list[list[Block]], style: Style) -> None:
    pages = [a_page(index, *found) for index, found in enumerate(blocks)]
    joiner = Joiner(Style(style.form))
    text = "".join(joined_text(pages, joiner, {}))
    if not joiner.joins and style.form is Form.MARKDOWN:
        assert text == "\n\n".join(page.markdown for page in pages if page.markdown)
    parted = Counter(word for page in pages for block in page.blocks for word in words_of(block))
    changed = parted - Counter(text.replace("\\", "").replace("|", " ").split())
    heads = Counter(" ".join(repeated_heads(joiner, pages)).split())
    # Each join changes at most the two words that it makes one.
    assert sum((changed - heads).values()) <= 2 * len(joiner.joins)


def words_of(block: Block) -> list[str]:
    return block.text.split()

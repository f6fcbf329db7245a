"""Samples that are made, and sets that are read."""

from itertools import pairwise
from pathlib import Path

import pypdfium2  # type: ignore[import-untyped]
import pytest
from docparser_runtime.golden.documents import GoldenError, documents_in
from docparser_runtime.golden.scores import scores
from docparser_runtime.kit.drawing import WIDTH, Text, pdf_of, wrapped
from docparser_runtime.kit.layouts import LAYOUTS
from docparser_runtime.kit.prose import Prose
from docparser_runtime.kit.samples import samples_in
from docparser_runtime.kit.sets import sample_set, written


def text_of(pdf: bytes) -> str:
    with pypdfium2.PdfDocument(pdf) as document:
        return "\n\n".join(page.get_textpage().get_text_bounded() for page in document)


def test_the_same_seed_makes_the_same_documents(tmp_path: Path) -> None:
    made, again, other = (list(sample_set(seed, 10)) for seed in (1, 1, 2))
    assert made == again
    assert all(one.markdown != two.markdown for one, two in zip(made, other, strict=True))
    assert written(made, tmp_path / "new") == len(made) == 9
    # They are a set of golden documents too.
    assert len(documents_in(tmp_path / "new")) == len(made)


def test_a_directory_that_holds_something_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.pdf").write_bytes(b"mine")
    with pytest.raises(OSError, match="not empty"):
        written(sample_set(0, 1), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.pdf"]


def test_lengths_end_at_the_longest_that_is_wanted() -> None:
    names = {made.file_name for made in sample_set(0, 50)}
    assert {"length__001_pages.pdf", "length__050_pages.pdf"} <= names
    assert "length__100_pages.pdf" not in names


@pytest.mark.parametrize("layout", LAYOUTS)
def test_pages_say_what_their_markdown_says(layout: str) -> None:
    drawn = LAYOUTS[layout](Prose(3))
    found = scores(drawn.markdown, text_of(pdf_of(drawn.pages)))
    assert found.character_error_rate < 0.01


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("seed", range(5))
def test_nothing_leaves_the_page_or_lies_on_something_else(layout: str, seed: int) -> None:
    for page in LAYOUTS[layout](Prose(seed)).pages:
        columns: dict[float, list[float]] = {}
        for mark in page:
            if isinstance(mark, Text):
                assert 0 < mark.left < WIDTH
                assert mark.bottom > 30
                columns.setdefault(mark.left, []).append(mark.bottom)
        for bottoms in columns.values():
            assert all(above - below > 10 for above, below in pairwise(bottoms))


def test_lines_are_not_wider_than_their_column() -> None:
    drawn = LAYOUTS["multi_column"](Prose(5))
    with pypdfium2.PdfDocument(pdf_of(drawn.pages)) as document:
        text = document[0].get_textpage()
        rights = [text.get_rect(index)[2] for index in range(text.count_rects())]
    assert max(rights) < WIDTH - 50


def test_lines_hold_all_words() -> None:
    text = "one two three four five"
    assert " ".join(wrapped(text, 40, 10)) == text
    assert wrapped("incomprehensibilities", 5, 10) == ("incomprehensibilities",)


def test_brackets_and_backslashes_are_drawn() -> None:
    assert text_of(pdf_of([(Text(50, 500, 12, r"a (b) \c"),)])) == r"a (b) \c"


def test_samples_need_no_text(tmp_path: Path) -> None:
    (tmp_path / "table__a.pdf").write_bytes(b"%PDF")
    (tmp_path / "b.png").write_bytes(b"png")
    (tmp_path / "b.md").write_text("text")
    b, a = samples_in(tmp_path)
    assert (b.name, b.layout_class, b.expected) == ("b.png", "default", "text")
    assert (a.name, a.layout_class, a.expected) == ("table__a.pdf", "table", None)
    (tmp_path / "notes.txt").write_text("")
    with pytest.raises(GoldenError, match=r"notes\.txt"):
        samples_in(tmp_path)

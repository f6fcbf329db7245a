import re
from collections.abc import Callable, Sequence

import pytest
from docparser_api.model_sizes import Family
from docparser_runtime.engine.generation.answers import PageAnswer
from docparser_runtime.engine.generation.prompts import (
    BEGIN,
    IMAGE,
    Prompt,
    Task,
    instruction,
    prompt,
)
from docparser_runtime.engine.generation.tiling import Layout, layout
from docparser_runtime.engine.generation.windows import Window, missed, most_new_tokens, windows
from hypothesis import given, settings
from hypothesis import strategies as st

A, B = Family.DEEPSEEK_OCR_2, Family.UNLIMITED_OCR
A4 = (1191, 1684)


class Words:
    """A tokenizer of words: special ones are one token, others one for each letter."""

    def encode(self, text: str) -> Sequence[int]:
        pieces = re.findall(r"<\|?\w+\|?>|.", text, flags=re.DOTALL)
        return [1000 + len(piece) if len(piece) > 1 else ord(piece) for piece in pieces]


def shown(made: Prompt) -> str:
    """Return a prompt with runs of image tokens as their number."""
    text = ""
    for token in made.tokens:
        text += {BEGIN: "^", IMAGE: "#"}.get(token, chr(token) if token < 1000 else "?")
    return re.sub("#+", lambda run: f"({len(run.group())})", text)


def page(family: Family, tiles: int = 0) -> Layout:
    return layout(family, *A4, tiles)


def test_prompts_of_family_a() -> None:
    layouts = [page(A, 6)]
    made = prompt(layouts, Task.LAYOUT, Words())
    assert shown(made) == "^(1121)\n?Convert the document to markdown."
    assert shown(prompt(layouts, Task.TEXT, Words())) == "^(1121)\nFree OCR."
    assert [(span.start, span.length) for span in made.pages] == [(1, 1121)]


def test_prompts_of_family_b() -> None:
    single = prompt([page(B, 32)], Task.LAYOUT, Words())
    assert shown(single) == "^(903)document parsing."
    several = prompt([page(B)] * 3, Task.LAYOUT, Words())
    assert shown(several) == "^(819)Multi page parsing."
    assert [span.start for span in several.pages] == [1, 274, 547]
    marked = prompt([page(B)] * 2, Task.LAYOUT, Words(), marks_pages=True)
    assert shown(marked) == "^?(273)?(273)Multi page parsing."
    assert [span.start for span in marked.pages] == [2, 276]


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda: prompt([], Task.LAYOUT, Words()), "shows a page"),
        (lambda: prompt([page(A)] * 2, Task.LAYOUT, Words()), "one page"),
        (lambda: prompt([page(B, 6)] * 2, Task.LAYOUT, Words()), "without tiles"),
        (lambda: instruction(B, Task.TEXT, 1), "always"),
        (lambda: [*windows(3, 0)], "a page or more"),
        (lambda: most_new_tokens(1, 100, 50, 50), "leaves none"),
    ],
)
def test_what_no_model_was_trained_for_is_refused(make: Callable[[], object], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        make()


@settings(max_examples=12)
@given(st.integers(0, 100), st.integers(1, 40))
def test_windows_hold_every_page_once_and_never_more_than_they_may(count: int, most: int) -> None:
    found = [*windows(count, most)]
    assert [index for window in found for index in window.pages] == [*range(count)]
    assert all(window.count == most for window in found[:-1])
    assert all(1 <= window.count <= most for window in found)


def test_what_may_be_written_ends_with_the_positions() -> None:
    assert most_new_tokens(4, 1000, 1100, 8192) == 4000
    assert most_new_tokens(100, 1000, 27_310, 32_768) == 5458
    assert [*windows(5, 3)] == [Window(0, 3), Window(3, 2)]


def test_pages_that_a_text_lost_are_read_again_one_by_one() -> None:
    answers = [
        PageAnswer("a", (), truncated=False, repetition=False),
        PageAnswer("b", (), truncated=False, repetition=True),
        PageAnswer("", (), truncated=True, repetition=False),
    ]
    assert [*missed(Window(8, 3), answers)] == [Window(9, 1), Window(10, 1)]
    assert [*missed(Window(8, 1), answers[:1])] == []
    with pytest.raises(ValueError, match="shorter"):
        [*missed(Window(8, 3), answers[:1])]

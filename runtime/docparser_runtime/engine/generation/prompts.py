"""Prompts as the models were trained with, in tokens, with the places of the pages in them."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Protocol

from docparser_api.model_sizes import Family

from docparser_runtime.engine.generation.tiling import Layout

BEGIN: Final = 0
END: Final = 1
IMAGE: Final = 128_815
"""Tokens that begin a prompt, end an answer, and stand where a page is shown; in both families."""
PAGE_MARK: Final = "<PAGE>"
"""What precedes each page in answers about several pages, and in some models' prompts too."""


class Tokenizer(Protocol):
    """Turns text into tokens."""

    def encode(self, text: str) -> Sequence[int]:
        """Return the tokens of `text`, in which special tokens are known by their names.

        Nothing is put before or behind them.
        """
        ...


class Task(StrEnum):
    """What is asked of a page."""

    LAYOUT = "layout"
    TEXT = "text"


@dataclass(frozen=True)
class Span:
    """A run of tokens in a prompt."""

    start: int
    length: int


@dataclass(frozen=True)
class Prompt:
    """A prompt.

    Attributes:
        tokens: all of them, IMAGE wherever a page is shown.
        pages: where each page is shown, in order.
    """

    tokens: tuple[int, ...]
    pages: tuple[Span, ...]


def instruction(family: Family, task: Task, pages: int) -> str:
    """Return the words that follow `pages` pages.

    Raises:
        ValueError: the family was not trained for it.
    """
    if family is Family.DEEPSEEK_OCR_2:
        if pages != 1:
            raise ValueError(f"{family} reads one page at a time")
        if task is Task.LAYOUT:
            return "\n<|grounding|>Convert the document to markdown."
        return "\nFree OCR."
    if task is Task.TEXT:
        raise ValueError(f"{family} always tells the layout")
    return "document parsing." if pages == 1 else "Multi page parsing."


def prompt(
    layouts: Sequence[Layout], task: Task, tokenizer: Tokenizer, *, marks_pages: bool = False
) -> Prompt:
    """Return the prompt for pages that are cut as `layouts` says.

    Args:
        layouts: of one page or more, all for the same family; several have no tiles.
        task: what is asked.
        tokenizer: the model's.
        marks_pages: whether the model expects PAGE_MARK before each page.

    Raises:
        ValueError: the family was not trained for it.
    """
    if not layouts:
        raise ValueError("a prompt shows a page")
    if len(layouts) > 1 and any(page.grid.tiles for page in layouts):
        raise ValueError("several pages at once are shown without tiles")
    words = instruction(layouts[0].family, task, len(layouts))
    mark = tokenizer.encode(PAGE_MARK) if marks_pages else ()
    tokens, spans = [BEGIN], []
    for page in layouts:
        tokens.extend(mark)
        spans.append(Span(len(tokens), page.prompt_tokens))
        tokens.extend([IMAGE] * page.prompt_tokens)
    tokens.extend(tokenizer.encode(words))
    return Prompt(tuple(tokens), tuple(spans))

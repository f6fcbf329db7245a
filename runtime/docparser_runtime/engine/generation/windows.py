"""Pages that are read in one go, so many at a time that memory does not grow with a document."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from docparser_runtime.engine.generation.answers import PageAnswer


@dataclass(frozen=True)
class Window:
    """Neighbouring pages of a document.

    Attributes:
        first: index of the first one.
        count: how many there are.
    """

    first: int
    count: int

    @property
    def pages(self) -> range:
        """Their indexes."""
        return range(self.first, self.first + self.count)


def windows(page_count: int, most_pages: int) -> Iterator[Window]:
    """Yield windows of `most_pages` pages over a document, the last one maybe of fewer.

    Raises:
        ValueError: a window would be empty.
    """
    if most_pages < 1:
        raise ValueError("a window has a page or more")
    for first in range(0, page_count, most_pages):
        yield Window(first, min(most_pages, page_count - first))


def missed(window: Window, answers: Sequence[PageAnswer]) -> Iterator[Window]:
    """Yield what of `window` is to be read again, given the answers about all of its pages.

    Each page comes alone: a text about one page cannot lose count of them.
    """
    for index, answer in zip(window.pages, answers, strict=True):
        if answer.truncated or answer.repetition:
            yield Window(index, 1)


def most_new_tokens(pages: int, tokens_per_page: int, prompt_tokens: int, positions: int) -> int:
    """Return how many tokens may be written about `pages` pages: less where positions end sooner.

    Raises:
        ValueError: the prompt leaves no position.
    """
    room = positions - prompt_tokens
    if room < 1:
        raise ValueError(f"a prompt of {prompt_tokens} tokens leaves none of {positions} positions")
    return min(pages * tokens_per_page, room)

"""A document that is read window by window: what to read next, and its pages in their order."""

from collections.abc import Iterator, Sequence

from docparser_runtime.engine.generation.answers import PageAnswer
from docparser_runtime.engine.generation.windows import Window, missed, windows


class DocumentReading:
    """Follows the windows of one document, which may be read and end in any order.

    A page that a window's text does not reach, or breaks off at, is read once more by itself. Of
    two answers the better one counts.

    Args:
        page_count: pages of the document.
        most_pages: pages of a window.
    """

    def __init__(self, page_count: int, most_pages: int) -> None:
        self._again: list[Window] = []
        self._ahead = windows(page_count, most_pages)
        self._running: set[Window] = set()
        self._answers: dict[int, PageAnswer] = {}
        self._pending: set[int] = set()
        self._page_count = page_count
        self._handed_out = 0

    @property
    def is_over(self) -> bool:
        """Whether all pages have been handed out."""
        return self._handed_out == self._page_count

    def take(self) -> Window | None:
        """Return a window to read now; None if there is none, or none before another has ended.

        Pages that are read again come first: others may wait for them.
        """
        window = self._again.pop(0) if self._again else next(self._ahead, None)
        if window is not None:
            self._running.add(window)
        return window

    def note(self, window: Window, answers: Sequence[PageAnswer]) -> None:
        """Take in the answers about all pages of `window`.

        Raises:
            ValueError: it was not being read, or there is not one answer for each page.
        """
        if window not in self._running or len(answers) != window.count:
            raise ValueError(f"no answers to pages {window.first} and on were waited for")
        self._running.remove(window)
        for index, answer in zip(window.pages, answers, strict=True):
            before = self._answers.get(index)
            self._answers[index] = answer if before is None else max(before, answer, key=_worth)
        if self._pending.issuperset(window.pages):
            self._pending.difference_update(window.pages)
            return
        for single in missed(window, answers):
            self._pending.add(single.first)
            self._again.append(single)

    def ready(self) -> Iterator[tuple[int, PageAnswer]]:
        """Yield the pages that come next in the document and are done, each once."""
        while self._handed_out in self._answers and self._handed_out not in self._pending:
            index = self._handed_out
            self._handed_out += 1
            yield index, self._answers.pop(index)


def _worth(answer: PageAnswer) -> tuple[bool, bool, int]:
    return not answer.repetition, not answer.truncated, len(answer.markdown)

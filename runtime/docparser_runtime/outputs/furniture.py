"""Running headers, footers and page numbers: what recurs at an end of neighbouring pages.

Rather one too few than one too many: a line is taken for furniture only if it stands apart from the
text, recurs on pages close to each other with the same words at the same height, and its numbers
either stay the same or count the pages.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from rapidfuzz import fuzz

from docparser_runtime.outputs.margins import MarginLine, margin_lines
from docparser_runtime.outputs.numbering import Numbering, is_page_number, masked, numbers
from docparser_runtime.outputs.pages import OutputPage

FARTHEST_PAGES = 3
"""Most pages from one occurrence to the next: some follow every other page, or skip one."""
SAME_HEIGHT = 0.02
"""Most difference in height, as a share of the page's, of what stands at the same place."""
LEAST_LIKENESS = 90
"""Least likeness of texts in percent: reading is not free of errors."""
LEAST_REPEATS = 3
LEAST_NUMBERS = 2
"""Pages on which a line must recur; counting is proof enough for a bare page number."""
LEAST_LETTERS = 2


@dataclass
class _Run:
    """Occurrences of one line, page after page."""

    lines: list[MarginLine]
    mask: str
    numbering: Numbering
    pages: set[int] = field(default_factory=set)

    @property
    def last(self) -> MarginLine:
        return self.lines[-1]

    def takes(self, line: MarginLine) -> bool:
        """Take `line` if it goes on here; return whether it does."""
        if line.at_bottom != self.last.at_bottom or line.page in self.pages:
            return False
        if abs(line.distance - self.last.distance) > SAME_HEIGHT:
            return False
        if fuzz.ratio(masked(line.text), self.mask) < LEAST_LIKENESS:
            return False
        if not self.numbering.goes_on(numbers(line.text), line.page):
            return False
        self.lines.append(line)
        self.pages.add(line.page)
        return True

    @property
    def is_furniture(self) -> bool:
        # Pages with nothing but such lines would be empty without them.
        with_body = sum(line.has_body for line in self.lines)
        if 2 * with_body < len(self.lines):
            return False
        text = self.last.text
        if self.numbering.counts:
            if is_page_number(text):
                return len(self.lines) >= LEAST_NUMBERS
            return len(self.lines) >= LEAST_REPEATS and self.numbering.counts_pages(text)
        is_label = text.rstrip().endswith((":", "\uff1a"))
        letters = sum(letter.isalnum() for letter in text)
        return len(self.lines) >= LEAST_REPEATS and letters >= LEAST_LETTERS and not is_label


class FurnitureFinder:
    """Sees the pages one after the other and remembers only what could still recur.

    Pages are added in the order of their indexes.
    """

    def __init__(self) -> None:
        self._runs: list[_Run] = []
        self._found: dict[int, set[int]] = {}

    def add(self, page: OutputPage) -> None:
        """Look at the next page."""
        self._end_runs(before=page.index - FARTHEST_PAGES)
        for line in margin_lines(page):
            if not any(run.takes(line) for run in self._runs):
                numbering = Numbering(numbers(line.text), line.page)
                self._runs.append(_Run([line], masked(line.text), numbering, {line.page}))

    def found(self) -> Mapping[int, frozenset[int]]:
        """Return the indexes of the furniture's blocks by the index of their page.

        Pages without any are absent. Nothing is to be added afterwards.
        """
        self._end_runs(before=None)
        return {page: frozenset(blocks) for page, blocks in self._found.items()}

    def _end_runs(self, before: int | None) -> None:
        going = []
        for run in self._runs:
            if before is not None and run.last.page >= before:
                going.append(run)
            elif run.is_furniture:
                for line in run.lines:
                    self._found.setdefault(line.page, set()).add(line.block)
        self._runs = going


def furniture(pages: Iterable[OutputPage]) -> Mapping[int, frozenset[int]]:
    """Return the indexes of the blocks that are furniture, by the index of their page."""
    finder = FurnitureFinder()
    for page in pages:
        finder.add(page)
    return finder.found()

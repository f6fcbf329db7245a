"""Which pages of a document a client asks for, such as `1-3,7,10-`."""

import re
from dataclasses import dataclass
from typing import Final

from docparser_runtime.errors import InvalidRequest, PageRangeInvalid

LONGEST: Final = 1000
"""Characters of the longest text that `parse` takes."""
EXAMPLE: Final = "1-3,7,10-"
_PART: Final = re.compile(r"([1-9][0-9]{0,8})(?:(-)([1-9][0-9]{0,8})?)?", re.ASCII)


@dataclass(frozen=True)
class PageRange:
    """Pages by their numbers, from 1.

    Attributes:
        spans: first and last number of each part in the order of the text; None for "to the end".
    """

    spans: tuple[tuple[int, int | None], ...]

    def indexes(self, page_count: int) -> tuple[int, ...]:
        """Return the positions, from 0, of the pages in a document of `page_count`.

        They are in the document's order, each once, whatever the order and overlaps of the parts.

        Raises:
            PageRangeInvalid: the document lacks one of the pages.
        """
        highest = max(last or first for first, last in self.spans)
        if highest > page_count:
            raise PageRangeInvalid(
                f"The page range names page {highest}, but the document has {page_count}."
            )
        indexes: list[int] = []
        end = 0
        for first, last in sorted((first, last or page_count) for first, last in self.spans):
            indexes.extend(range(max(first - 1, end), last))
            end = max(end, last)
        return tuple(indexes)


def parse(text: str) -> PageRange:
    """Return what `text` means: numbers from 1 and spans, separated by commas.

    Raises:
        InvalidRequest: it means nothing.
    """
    if len(text) > LONGEST:
        raise InvalidRequest(f"The page range may have {LONGEST} characters at most.")
    return PageRange(tuple(_span(part.strip(" ")) for part in text.split(",")))


def _span(part: str) -> tuple[int, int | None]:
    found = _PART.fullmatch(part)
    if found is None:
        raise InvalidRequest(
            f"The page range must consist of page numbers from 1 and spans, such as {EXAMPLE}."
        )
    first, dash, end = found.groups()
    if not dash:
        return int(first), int(first)
    last = int(end) if end else None
    if last is not None and last < int(first):
        raise InvalidRequest("A span of the page range ends before it begins.")
    return int(first), last

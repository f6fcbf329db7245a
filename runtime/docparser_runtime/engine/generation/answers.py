"""What a model writes about one page or several, put in the order of the pages and cut at them."""

from collections.abc import Sequence
from dataclasses import dataclass

from docparser_api.model_sizes import Family

from docparser_runtime.engine.base import Block
from docparser_runtime.engine.generation.page_text import PageSize, PageText
from docparser_runtime.engine.generation.stopping import Stop
from docparser_runtime.engine.generation.tags import PageBreak, Piece, Tag, TagReader


@dataclass(frozen=True)
class Delta:
    """Markdown that is added to a page; `page` counts from 0 within the request."""

    page: int
    markdown: str


@dataclass(frozen=True)
class PageAnswer:
    """What was written about a page.

    Attributes:
        markdown: all of it.
        blocks: the same in pieces; empty if the model has not said where they stand.
        truncated: whether the end of the page is missing, or all of it.
        repetition: whether it ended in a loop.
    """

    markdown: str
    blocks: tuple[Block, ...]
    truncated: bool
    repetition: bool


class Answer:
    """Follows the text of one request, in which pages come in the order in which they were shown.

    Attributes:
        stop: why the text has to end, as far as words tell; None while it may go on.
    """

    def __init__(self, family: Family, sizes: Sequence[PageSize]) -> None:
        if not sizes:
            raise ValueError("an answer is about a page")
        self.stop: Stop | None = None
        self._reader = TagReader(marks_pages=family is Family.UNLIMITED_OCR)
        self._pages = [PageText(size) for size in sizes]
        self._current = 0
        self._is_begun = False

    def feed(self, text: str, probability: float | None) -> list[Delta]:
        """Take in `text`, of which `probability` is known or not; return what pages get of it.

        Nothing more is taken in once there is a reason to stop.
        """
        return self._taken([*self._reader.feed(text)], probability)

    def close(self, stop: Stop) -> tuple[list[Delta], tuple[PageAnswer, ...]]:
        """Return what pages still get, and all pages, now that the text is over because of `stop`.

        A page that the text does not reach is truncated and empty. It is never left out.
        """
        deltas = self._taken([*self._reader.close()], None)
        deltas += self._delta(self._page.close())
        return deltas, tuple(self._answer(index, stop) for index in range(len(self._pages)))

    @property
    def _page(self) -> PageText:
        return self._pages[self._current]

    def _answer(self, index: int, stop: Stop) -> PageAnswer:
        page = self._pages[index]
        is_last = index == self._current
        return PageAnswer(
            page.markdown,
            page.blocks,
            truncated=index > self._current or (is_last and stop.is_truncation),
            repetition=is_last and stop is Stop.LOOP,
        )

    def _taken(self, pieces: Sequence[Piece], probability: float | None) -> list[Delta]:
        deltas = []
        for piece in pieces:
            if self.stop is not None:
                break
            if isinstance(piece, PageBreak):
                deltas += self._turn()
            elif isinstance(piece, Tag):
                self._is_begun = True
                deltas += self._delta(self._page.begin(piece))
            else:
                self._is_begun |= not piece.text.isspace()
                deltas += self._delta(self._page.write(piece.text, probability))
            if self._page.is_looping:
                self.stop = Stop.LOOP
        return deltas

    def _delta(self, markdown: str) -> list[Delta]:
        return [Delta(self._current, markdown)] if markdown else []

    def _turn(self) -> list[Delta]:
        """Go on with the next page. A mark that comes before all else belongs to the first one."""
        if not self._is_begun:
            self._is_begun = True
            return []
        if self._current + 1 == len(self._pages):
            self.stop = Stop.PAGES
            return []
        deltas = self._delta(self._page.close())
        self._current += 1
        return deltas

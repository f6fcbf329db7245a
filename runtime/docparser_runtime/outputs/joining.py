"""Puts a document's text together from its pages, and joins what a page break parted.

Pages come one after the other and their text goes out at once. Held back are only the ending of the
last piece, which what follows may change, and furniture below it. The pages themselves stay as they
are.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from docparser_runtime.engine.base import BlockKind
from docparser_runtime.outputs.continuing import (
    between,
    goes_on,
    is_hyphenated,
    is_other_table,
    repeats_head,
    same_edges,
)
from docparser_runtime.outputs.options import HeadersFooters
from docparser_runtime.outputs.pages import OutputPage
from docparser_runtime.outputs.rendering import Style, Written
from docparser_runtime.outputs.units import Unit, units

BREAK = "\n\n"
_PROSE = (BlockKind.PARAGRAPH, BlockKind.LIST)


@dataclass(frozen=True)
class Join:
    """Two blocks of neighbouring pages that are one.

    Attributes:
        page: index of the page on which the second one stands.
        first_block: index of the first one on the page before; None if the engine names no blocks.
        second_block: index of the second one; None likewise.
        is_table: whether it is a table; otherwise it is running text.
    """

    page: int
    first_block: int | None
    second_block: int | None
    is_table: bool


@dataclass(frozen=True)
class _Last:
    """The last piece of text that was written, furniture apart."""

    unit: Unit
    page: OutputPage
    head: Sequence[str]


class Joiner:
    """Takes pages in order and gives out the text of the document in pieces.

    Attributes:
        joins: what was joined so far.
    """

    def __init__(
        self,
        style: Style | None = None,
        headers_footers: HeadersFooters = HeadersFooters.KEEP,
    ) -> None:
        self.joins: list[Join] = []
        self._style = style or Style()
        self._keeps = headers_footers is HeadersFooters.KEEP
        self._last: _Last | None = None
        self._ending = ""
        self._held: list[str] = []
        self._is_empty = True

    def feed(self, page: OutputPage, furniture: Collection[int] = frozenset()) -> str:
        """Return the text that can be written once `page` is known.

        Its blocks whose indexes are in `furniture` part nothing; they are left out, or follow what
        they stand within.
        """
        parts: list[str] = []
        before, self._last = self._last, None
        for unit in units(page):
            if unit.block is not None and unit.block in furniture:
                if self._keeps:
                    written = self._style.begun(unit)
                    self._held.append(written.text + written.ending)
                continue
            joined = self._joined(before, unit, page)
            parts.append(self._apart(unit, page) if joined is None else joined)
            before = None
        if self._last is None:
            # Nothing can go on across a page without text.
            parts.append(self._settled())
        return "".join(parts)

    def finish(self) -> str:
        """Return the rest of the text. No page is to follow."""
        return self._settled()

    def _apart(self, unit: Unit, page: OutputPage) -> str:
        settled = self._settled()
        written = self._style.begun(unit)
        head = self._head(unit, page)
        self._last, self._ending = _Last(unit, page, head), written.ending
        return settled + self._after_break(written.text)

    def _head(self, unit: Unit, page: OutputPage) -> Sequence[str]:
        """Return the head of a table; that of the one above if this is a part of it."""
        if unit.kind is not BlockKind.TABLE:
            return ()
        rows, above = unit.rows, self._last
        if above is None or above.page is not page or len(above.head) != len(rows[0]):
            return rows[0]
        is_part = same_edges(above.unit.box, unit.box, (page.width, page.width))
        return above.head if is_part and not is_other_table(rows) else rows[0]

    def _joined(self, last: _Last | None, unit: Unit, page: OutputPage) -> str | None:
        if last is None or page.index != last.page.index + 1 or last.page.is_cut:
            return None
        if unit.kind is BlockKind.TABLE:
            return self._joined_table(last, unit, page)
        if last.unit.kind not in _PROSE or unit.kind is not BlockKind.PARAGRAPH:
            return None
        before = last.unit.text.rpartition("\n")[2]
        if self._ending and is_hyphenated(before, unit.text):
            start = ""
        elif goes_on(before, unit.text):
            start = self._ending + between(before, unit.text)
        else:
            return None
        return start + self._go_on(last, unit, page, self._style.continued(unit, 0))

    def _joined_table(self, last: _Last, unit: Unit, page: OutputPage) -> str | None:
        before, rows = last.unit, unit.rows
        if before.kind is not BlockKind.TABLE or len(rows[0]) != len(last.head):
            return None
        if not self._style.can_go_on(before) or not self._style.can_go_on(unit):
            return None
        if not same_edges(before.box, unit.box, (last.page.width, page.width)):
            return None
        repeats = repeats_head(last.head, rows[0])
        if not repeats and is_other_table(rows):
            return None
        return self._go_on(last, unit, page, self._style.continued(unit, int(repeats)))

    def _go_on(self, last: _Last, unit: Unit, page: OutputPage, written: Written) -> str:
        is_table = unit.kind is BlockKind.TABLE
        self.joins.append(Join(page.index, last.unit.block, unit.block, is_table))
        self._last, self._ending = _Last(unit, page, last.head), written.ending
        return written.text

    def _settled(self) -> str:
        """Return what was held back."""
        rest = self._ending + "".join(self._after_break(text) for text in self._held)
        self._ending = ""
        self._held.clear()
        return rest

    def _after_break(self, text: str) -> str:
        start = "" if self._is_empty else BREAK
        self._is_empty = False
        return start + text


def joined_text(
    pages: Iterable[OutputPage],
    joiner: Joiner,
    furniture: Mapping[int, Collection[int]],
) -> Iterator[str]:
    """Yield the text of all `pages`, of which `furniture` has the furniture's blocks by index."""
    for page in pages:
        yield joiner.feed(page, furniture.get(page.index, ()))
    yield joiner.finish()

"""The text of one page as it is written: Markdown piece by piece, blocks in the end."""

from dataclasses import dataclass
from typing import Final

from docparser_runtime.engine.base import Block, BlockKind, Box
from docparser_runtime.engine.generation.labels import TABLE, is_label
from docparser_runtime.engine.generation.loops import BLOCK_LOOPS, LoopDetector
from docparser_runtime.engine.generation.passages import Passage, table_of
from docparser_runtime.engine.generation.tags import LARGEST_COORDINATE, Tag

_TABLE_BEGINS: Final = ("<table>", "<table ")
_TABLE_END: Final = "</table>"
_LEFT_OUT: Final = ("<center>", "</center>")
_BREAK: Final = "\n\n"


@dataclass(frozen=True)
class PageSize:
    """Width and height of a page image, in pixels."""

    width: int
    height: int

    @property
    def box(self) -> Box:
        """All of it."""
        return Box(0, 0, self.width, self.height)

    def placed(self, tag: Tag) -> Box:
        """Return the box around all boxes of `tag`, in pixels."""
        lefts, tops, rights, bottoms = zip(*tag.boxes, strict=True)
        across, down = self.width / LARGEST_COORDINATE, self.height / LARGEST_COORDINATE
        return Box(min(lefts) * across, min(tops) * down, max(rights) * across, max(bottoms) * down)


class PageText:
    """Takes in tags and text, and gives out Markdown. All that it gave out is `markdown`.

    Tables come as HTML, and go out as Markdown when they are complete.

    Attributes:
        is_looping: whether the same blocks come again and again.
    """

    def __init__(self, size: PageSize) -> None:
        self.is_looping = False
        self._size = size
        self._out: list[str] = []
        self._blocks: list[tuple[Block, bool]] = []
        self._passage = Passage("", None)
        self._held = ""
        self._in_table = False
        self._is_shown = False
        self._table_box: Box | None = None
        self._loops = LoopDetector(BLOCK_LOOPS)

    @property
    def markdown(self) -> str:
        """All Markdown up to now."""
        return "".join(self._out)

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The blocks up to now; none if the model has not said where anything stands."""
        if not any(is_placed for _, is_placed in self._blocks):
            return ()
        return tuple(block for block, _ in self._blocks)

    def begin(self, tag: Tag) -> str:
        """Begin what `tag` announces. Returns the Markdown that what came before still adds."""
        added = self._finish()
        before, self._passage = self._passage, Passage(tag.label, self._size.placed(tag))
        # A caption may come between a table's place and its text.
        is_kept = before.label == TABLE and not self._is_shown
        self._table_box = before.box if is_kept else None
        self._is_shown = False
        return added

    def write(self, text: str, probability: float | None) -> str:
        """Take in `text`, of which `probability` is known or not; return the Markdown it adds."""
        if probability is not None:
            self._passage.believe(probability)
        self._held += text
        return self._advance(is_end=False)

    def close(self) -> str:
        """End the page. Returns the Markdown that is still added."""
        return self._finish()

    def _finish(self) -> str:
        added = self._advance(is_end=True)
        if not self._is_shown and not is_label(self._passage.label):
            # The model points to text instead of labelling it.
            added += self._say(self._passage.label)
        self._end_passage()
        if not self._is_shown and self._passage.box is not None:
            self._note_loop(self._passage.label, "")
        return added

    def _advance(self, *, is_end: bool) -> str:
        added = ""
        while self._held:
            step = self._table(is_end=is_end) if self._in_table else self._prose(is_end=is_end)
            if step is None:
                break
            added += step
        return added

    def _prose(self, *, is_end: bool) -> str | None:
        """Take in text up to the next mark; None if more must come to tell whether it is one."""
        at = self._held.find("<")
        if at:
            text = self._held if at < 0 else self._held[:at]
            self._held = self._held[len(text) :]
            return self._say(text)
        for mark in (*_TABLE_BEGINS, *_LEFT_OUT):
            if self._held.startswith(mark):
                self._in_table = mark in _TABLE_BEGINS
                self._held = self._held[0 if self._in_table else len(mark) :]
                return ""
            if mark.startswith(self._held) and not is_end:
                return None
        self._held = self._held[1:]
        return self._say("<")

    def _table(self, *, is_end: bool) -> str | None:
        end = self._held.find(_TABLE_END)
        if end < 0 and not is_end:
            return None
        end = len(self._held) if end < 0 else end + len(_TABLE_END)
        html, self._held, self._in_table = self._held[:end], self._held[end:], False
        shown, text = table_of(html)
        if not shown:
            return ""
        self._end_passage()
        passage = self._passage
        box = passage.box if passage.label == TABLE else self._table_box or passage.box
        self._add(
            Block(BlockKind.TABLE, text, shown, box or self._size.box, passage.confidence), box
        )
        self._passage = Passage(passage.label, passage.box)
        return self._put(shown, is_new=True)

    def _say(self, text: str) -> str:
        is_new = not self._passage.markdown
        shown = self._passage.write(text)
        return self._put(shown, is_new=is_new) if shown else ""

    def _put(self, shown: str, *, is_new: bool) -> str:
        self._is_shown = True
        added = _BREAK + shown if is_new and self._out else shown
        self._out.append(added)
        return added

    def _end_passage(self) -> None:
        passage = self._passage
        if passage.markdown:
            self._add(passage.block(passage.box or self._size.box), passage.box)

    def _add(self, block: Block, box: Box | None) -> None:
        self._blocks.append((block, box is not None))
        self._note_loop(block.kind, block.text)

    def _note_loop(self, kind: str, text: str) -> None:
        self.is_looping |= self._loops.add((kind, text))

"""Finds the tags in a text that comes piece by piece; what is no tag stays text.

Both families are understood: `<|ref|>label<|/ref|><|det|>[[1, 2, 3, 4]]<|/det|>` before what stands
there, and `<|det|>label [1, 2, 3, 4]<|/det|>`. Nothing is ever evaluated.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from docparser_runtime.engine.generation.prompts import PAGE_MARK

LARGEST_COORDINATE: Final = 999
"""Boxes are given in thousandths of the page, from 0 to this."""


@dataclass(frozen=True)
class Text:
    """A piece of text, never empty."""

    text: str


@dataclass(frozen=True)
class Tag:
    """What comes next, and where it stands.

    Attributes:
        label: the model's word for it, or the text itself when the model points to text.
        boxes: left, top, right and bottom of each of its parts, 0 to LARGEST_COORDINATE.
    """

    label: str
    boxes: tuple[tuple[int, int, int, int], ...]


@dataclass(frozen=True)
class PageBreak:
    """The beginning of the text of a page."""


Piece = Text | Tag | PageBreak


@dataclass(frozen=True)
class _Run:
    """Any number of characters, up to `most`, of which all or none are in `characters`."""

    characters: str
    are_those: bool
    most: int

    def length(self, text: str, start: int) -> int:
        end = start
        while end < len(text) and (text[end] in self.characters) == self.are_those:
            end += 1
        return end - start


# What follows one another in a tag. No run takes what the next part begins with.
_LABEL = _Run("<", are_those=False, most=200)
_BOXES = _Run("<", are_those=False, most=4000)
_SPACE = _Run(" \n", are_those=True, most=4)
_SHAPES: Final = (
    ("<|ref|>", _LABEL, "<|/ref|>", _SPACE, "<|det|>", _BOXES, "<|/det|>"),
    ("<|det|>", _BOXES, "<|/det|>"),
    (PAGE_MARK,),
)
_BOX: Final = re.compile(
    r"\s*\[\s*(\d{1,3})\s*,\s*(\d{1,3})\s*,\s*(\d{1,3})\s*,\s*(\d{1,3})\s*\]\s*"
)
_LABEL_AND_BOX: Final = re.compile(r"\s*([^\[\]]*?)\s*(\[.*\])\s*", re.DOTALL)


class TagReader:
    """Reads one text, of which `marks_pages` says whether it may begin new pages."""

    def __init__(self, *, marks_pages: bool) -> None:
        self._shapes = _SHAPES if marks_pages else _SHAPES[:2]
        self._held = ""

    def feed(self, text: str) -> Iterator[Piece]:
        """Yield what `text` completes. What may be the beginning of a tag is held back."""
        self._held += text
        yield from self._pieces(is_end=False)

    def close(self) -> Iterator[Piece]:
        """Yield what was held back; a tag that never came to its end is text."""
        yield from self._pieces(is_end=True)

    def _pieces(self, *, is_end: bool) -> Iterator[Piece]:
        plain, at = "", 0
        while at < len(self._held):
            begin = self._held.find("<", at)
            begin = len(self._held) if begin < 0 else begin
            plain += self._held[at:begin]
            at = begin
            found = self._tag_at(begin) if begin < len(self._held) else None
            if found is None and not is_end:
                break
            length, piece = found or (1, None)
            if piece is None:
                plain += self._held[at : at + length]
            else:
                if plain:
                    yield Text(plain)
                    plain = ""
                yield piece
            at += length
        self._held = self._held[at:]
        if plain:
            yield Text(plain)

    def _tag_at(self, start: int) -> tuple[int, Piece | None] | None:
        """Return length and meaning of what begins at `start`; None if more must come to tell.

        The meaning is None if it is text.
        """
        is_open = False
        for shape in self._shapes:
            parts = _match(shape, self._held, start)
            if isinstance(parts, list):
                return sum(map(len, parts)), _meaning(parts)
            is_open |= parts
        return None if is_open else (1, None)


def _match(shape: tuple[str | _Run, ...], text: str, start: int) -> list[str] | bool:
    """Return the parts of `shape` as they stand at `start`, or whether they may still come."""
    parts = []
    for part in shape:
        if isinstance(part, str):
            there = text[start : start + len(part)]
            if there != part:
                return start + len(there) == len(text) and part.startswith(there)
        else:
            length = part.length(text, start)
            if length > part.most:
                return False
            there = text[start : start + length]
        parts.append(there)
        start += len(there)
    return parts


def _meaning(parts: list[str]) -> Piece | None:
    if parts == [PAGE_MARK]:
        return PageBreak()
    if len(parts) > 3:  # noqa: PLR2004 - label and boxes each in a tag of its own
        boxes = _boxes(parts[5])
        return Tag(parts[1].strip(), boxes) if boxes else None
    found = _LABEL_AND_BOX.fullmatch(parts[1])
    boxes = _boxes(found[2]) if found else ()
    return Tag(found[1], boxes) if found and boxes else None


def _boxes(text: str) -> tuple[tuple[int, int, int, int], ...]:
    """Return the boxes in `text`, `[1, 2, 3, 4]` or a list of such; none if it is anything else."""
    inner = text.strip()
    if inner.startswith("[") and inner[1:].lstrip().startswith("[") and inner.endswith("]"):
        inner = inner[1:-1]
    found = []
    at = 0
    while match := _BOX.match(inner, at):
        left, top, right, bottom = map(int, match.groups())
        found.append((min(left, right), min(top, bottom), max(left, right), max(top, bottom)))
        at = match.end()
        if at == len(inner):
            return tuple(found)
        if inner[at] != ",":
            break
        at += 1
    return ()

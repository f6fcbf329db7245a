"""Passages of a page while they are written: text that goes out at once, and blocks in the end."""

import re
from dataclasses import dataclass, field
from typing import Final

from docparser_runtime.engine.base import Block, BlockKind, Box
from docparser_runtime.engine.generation.html_tables import rows_of
from docparser_runtime.engine.generation.labels import heading_level, kind_of
from docparser_runtime.layout import markdown

_LINE_BREAK: Final = re.compile(r"\s*\n\s*")
_MARKS: Final = re.compile(r"(#{1,6})\s+")


@dataclass
class Passage:
    """Running text under one label, as Markdown.

    Attributes:
        label: the model's word for it.
        box: where it stands; None if the model does not say.
        markdown: what has gone out.
    """

    label: str
    box: Box | None
    markdown: str = ""
    _space: str = ""
    _probabilities: list[float] = field(default_factory=list)

    def write(self, text: str) -> str:
        """Take in `text` and return what it adds to the Markdown.

        Space at the beginning is left out, and at the end until more comes.
        """
        text = self._space + text
        if not self.markdown:
            text = text.lstrip()
        shown = text.rstrip()
        self._space = text[len(shown) :]
        level = heading_level(self.label)
        if level is not None:
            shown = _LINE_BREAK.sub(" ", shown)
            if shown and not self.markdown and not shown.startswith("#"):
                shown = f"{'#' * level} {shown}"
        self.markdown += shown
        return shown

    def believe(self, probability: float) -> None:
        """Note how likely a part of the text was."""
        self._probabilities.append(probability)

    @property
    def confidence(self) -> float | None:
        """Mean probability of its parts."""
        if not self._probabilities:
            return None
        return sum(self._probabilities) / len(self._probabilities)

    def block(self, box: Box) -> Block:
        """Return it as a block that stands in `box`."""
        kind = kind_of(self.label, self.markdown)
        text, level = self.markdown, heading_level(self.label)
        if level is not None and (marks := _MARKS.match(text)):
            text, level = text[marks.end() :], len(marks[1])
        if kind is not BlockKind.LIST:
            text = " ".join(text.split())
        return Block(kind, text, self.markdown, box, self.confidence, level)


def table_of(html: str) -> tuple[str, str]:
    """Return a table as Markdown and as plain text; nothing if it has no text at all."""
    rows = rows_of(html)
    if not rows:
        return "", ""
    return markdown.table(rows), "\n".join("\t".join(row) for row in rows)

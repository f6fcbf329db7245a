"""What the models' labels mean."""

import re
from typing import Final

from docparser_runtime.engine.base import BlockKind

_HEADING_LEVELS: Final = {
    "title": 1,
    "doc_title": 1,
    "sub_title": 2,
    "subtitle": 2,
    "paragraph_title": 2,
    "section_title": 2,
}
_LABEL: Final = re.compile(r"[a-z][a-z0-9_-]*")
_BULLET: Final = re.compile(r"\s*[-*+•●▪]\s")
_NUMBER: Final = re.compile(r"\s*\d{1,3}[.)]\s")
TABLE: Final = "table"


def heading_level(label: str) -> int | None:
    """Return the level of heading that `label` stands for; None if it is none."""
    return _HEADING_LEVELS.get(label)


def is_label(label: str) -> bool:
    """Return whether it says what stands somewhere; otherwise it is what stands there."""
    return not label or _LABEL.fullmatch(label) is not None


def kind_of(label: str, text: str) -> BlockKind:
    """Return what a block of running text with this `label` is."""
    level = heading_level(label)
    if level is not None:
        return BlockKind.TITLE if level == 1 else BlockKind.HEADING
    return BlockKind.LIST if label == "list" or _is_list(text) else BlockKind.PARAGRAPH


def _is_list(text: str) -> bool:
    lines = [line for line in text.splitlines() if line.strip()]
    if all(_BULLET.match(line) for line in lines):
        return True
    # A single numbered line may as well be the beginning of a section.
    return len(lines) > 1 and all(_NUMBER.match(line) for line in lines)

"""Pages drawn as lines of text: a letter is half an em wide, an em is 20 pixels."""

from collections.abc import Sequence

from docparser_runtime.engine.base import Box
from docparser_runtime.layout.lines import TextLine

EM = 20.0
LEADING = 26.0


def text_line(
    text: str, left: float = 100, baseline: float = 100, *, size: float = EM, width: float = 0
) -> TextLine:
    """Return a line whose letters stand on `baseline`; `width` as given, or as the text needs."""
    right = left + (width or len(text) * size / 2)
    # Every text of these tests is taken as one with both long and hanging letters.
    box = Box(left, baseline - 0.72 * size, right, baseline)
    return TextLine(text, box, size, confidence=0.9)


def column(
    texts: Sequence[str], left: float = 100, top: float = 100, *, width: float = 0
) -> list[TextLine]:
    """Return lines one below the other; all but the last are `width` wide, if it is given."""
    last = len(texts) - 1
    return [
        text_line(text, left, top + at * LEADING, width=0 if at == last else width)
        for at, text in enumerate(texts)
    ]

"""Text as Markdown (CommonMark, with tables as GitHub writes them).

Only what would change its meaning is escaped: a text that is full of
backslashes is of no use to whoever reads or searches it.
"""

import re
from collections.abc import Sequence

_ALWAYS = re.compile(r"[\\`]|(?<!\w)_|_(?!\w)|\*(?=\S)|(?<=\S)\*|<(?=[A-Za-z/!?])|&(?=#?\w+;)")
"""Code, emphasis, HTML and entities; `2 * 3` and `snake_case` mean nothing else anyway."""
_LINK = re.compile(r"\[(?=[^\]]*\]\()|\](?=\()")
_LINE_START = re.compile(r"^(#{1,6}(?=\s|$)|[-+](?=\s|$)|>|={3,}\s*$|-{3,}\s*$|~{3,})")
_ORDERED_START = re.compile(r"^(\d{1,9})([.)])(?=\s|$)")


def escaped(text: str) -> str:
    """Return a paragraph's `text` so that Markdown shows it as it is."""
    text = _ALWAYS.sub(lambda match: "\\" + match.group(), text)
    text = _LINK.sub(lambda match: "\\" + match.group(), text)
    text = _LINE_START.sub(lambda match: "\\" + match.group(), text)
    return _ORDERED_START.sub(r"\1\\\2", text)


def heading(text: str, level: int) -> str:
    """Return a heading of `level` 1 to 6."""
    # Trailing marks would be taken for the closing ones.
    shown = re.sub(r"(#+)$", r"\\\1", escaped(text))
    return f"{'#' * level} {shown}"


def table(rows: Sequence[Sequence[str]]) -> str:
    """Return a table of equally long `rows`; the first one is its head."""
    head, *body = ["| " + " | ".join(_cell(text) for text in row) + " |" for row in rows]
    rule = "|" + " --- |" * len(rows[0])
    return "\n".join((head, rule, *body))


def _cell(text: str) -> str:
    text = _ALWAYS.sub(lambda match: "\\" + match.group(), " ".join(text.split()))
    return _LINK.sub(lambda match: "\\" + match.group(), text).replace("|", "\\|")


def list_item(text: str) -> str:
    """Return an item, whose `text` begins with its bullet or number."""
    mark, _, rest = text.partition(" ")
    number = re.fullmatch(r"(\d{1,9})([.)])", mark)
    return f"{number.group() if number else '-'} {escaped(rest)}"

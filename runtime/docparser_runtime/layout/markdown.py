"""Text as Markdown (CommonMark, with tables as GitHub writes them).

Only what would change its meaning is escaped: a text that is full of
backslashes is of no use to whoever reads or searches it.
"""

import re
from collections.abc import Sequence

_ANYWHERE = re.compile(
    r"[\\`]"  # escapes and code
    r"|(?<!\w)_|_(?!\w)|\*(?=\S)|(?<=\S)\*|~(?=~)"  # emphasis, but not snake_case or 2 * 3
    r"|<(?=[A-Za-z/!?])|&(?=#?\w+;)"  # HTML and entities
    r"|\[(?=[^\]]*\]\()|\](?=\()"  # links
)
_AT_START = re.compile(
    r"#{1,6}(?=\s|$)|[-+*](?=\s|$)|>|={1,}\s*$|-{2,}\s*$|~{3}"  # headings, lists, quotes, rules
    r"|\[(?=[^\]]*\]:)"  # definitions of links, which would not be shown at all
)
_NUMBER_AT_START = re.compile(r"(\d{1,9})([.)])(?=\s|$)")


def escaped(text: str) -> str:
    """Return a paragraph's `text`, which is one line, so that Markdown shows it as it is."""
    shown = _inline(text)
    if _AT_START.match(text):
        return shown if shown.startswith("\\") else "\\" + shown
    return _NUMBER_AT_START.sub(r"\1\\\2", shown, count=1) if text[:1].isdigit() else shown


def heading(text: str, level: int) -> str:
    """Return a heading of `level` 1 to 6."""
    # Trailing marks would be taken for the closing ones.
    shown = re.sub(r"(#+)$", r"\\\1", _inline(text))
    return f"{'#' * level} {shown}"


def list_item(mark: str, text: str) -> str:
    """Return an item, `mark` being the bullet or number that stands in front of its text."""
    if re.fullmatch(r"\d{1,9}[.)]", mark):
        return f"{mark} {escaped(text)}"
    if len(mark) == 1:
        return f"- {escaped(text)}"
    # Marks such as (a) are unknown to Markdown and therefore part of the text.
    return f"- {_inline(mark)} {_inline(text)}"


def table(rows: Sequence[Sequence[str]]) -> str:
    """Return a table of equally long `rows`; the first one is its head."""
    head, *body = ["| " + " | ".join(_cell(text) for text in row) + " |" for row in rows]
    rule = "|" + " --- |" * len(rows[0])
    return "\n".join((head, rule, *body))


def _cell(text: str) -> str:
    return _inline(" ".join(text.split())).replace("|", "\\|")


def _inline(text: str) -> str:
    return _ANYWHERE.sub(lambda match: "\\" + match.group(), text)

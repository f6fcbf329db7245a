"""Tables as rows of cells, whatever form they come in."""

import re

_CELL_BORDER = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r"\|?(\s*:?-+:?\s*\|)+(\s*:?-+:?\s*)?")
_LEAST_LINES = 2

Rows = list[list[str]]


def rows_of_text(text: str) -> Rows:
    """Return the rows of a table block's plain text, all equally long."""
    rows = [line.split("\t") for line in text.split("\n")]
    return _filled(rows)


def rows_of_markdown(markdown: str) -> Rows:
    """Return the rows of a table in Markdown, without its rule; their cells are still Markdown."""
    head, _, *body = markdown.splitlines()
    return _filled([_cells(line) for line in (head, *body)])


def is_pipe_table(markdown: str) -> bool:
    """Return whether `markdown` is nothing but one table, written with pipes."""
    lines = markdown.splitlines()
    return (
        len(lines) >= _LEAST_LINES
        and all("|" in line for line in lines)
        and _RULE.fullmatch(lines[1].strip()) is not None
    )


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in _CELL_BORDER.split(line.strip().strip("|"))]


def _filled(rows: Rows) -> Rows:
    width = max(len(row) for row in rows)
    return [row + [""] * (width - len(row)) for row in rows]

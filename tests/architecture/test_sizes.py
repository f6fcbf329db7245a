"""Files and functions stay small enough to be read at once."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ("crds", "docs_site", "operator", "plugin", "runtime", "tests", "examples")
MOST_LINES_OF_A_FILE = 250
MOST_LINES_OF_A_FUNCTION = 40

LONG_FILES: dict[str, str] = {}
LONG_FUNCTIONS: dict[str, str] = {
    "runtime/docparser_runtime/engine/gpu/ops/sparse_attention.py:sparse_attention_kernel": (
        "one GPU kernel: its parts share a dozen values that live in registers"
    ),
}

FILES = sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))


@cache
def functions(path: Path) -> tuple[tuple[str, int], ...]:
    """Return name and number of lines, its docstring left out, of each function in `path`."""
    return tuple(_functions(path))


def _functions(path: Path) -> Iterator[tuple[str, int]]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            docstring = node.body[0] if ast.get_docstring(node) else None
            if docstring is not None:
                lines -= (docstring.end_lineno or docstring.lineno) - docstring.lineno + 1
            yield node.name, lines


def test_files_are_found() -> None:
    assert len(FILES) > 50


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_sizes(path: Path) -> None:
    name = str(path.relative_to(ROOT))
    if name not in LONG_FILES:
        assert len(path.read_text().splitlines()) <= MOST_LINES_OF_A_FILE
    long = {
        f"{name}:{function}": lines
        for function, lines in functions(path)
        if lines > MOST_LINES_OF_A_FUNCTION and f"{name}:{function}" not in LONG_FUNCTIONS
    }
    assert long == {}


def test_no_exception_outlives_its_reason() -> None:
    files = {name for name in LONG_FILES if len((ROOT / name).read_text().splitlines()) <= 250}
    functions_ = {
        f"{path.relative_to(ROOT)}:{name}"
        for path in FILES
        for name, lines in functions(path)
        if lines > MOST_LINES_OF_A_FUNCTION
    }
    assert files == set()
    assert set(LONG_FUNCTIONS) <= functions_

"""Options of `parse` that contradict each other are refused before anything is done."""

from pathlib import Path

import pytest
from docparser_runtime.__main__ import app
from typer.testing import CliRunner

SERVER = ("--server", "http://127.0.0.1:9")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("a", "b"), "with --server only"),
        (("a", "--output", "x"), "--output: only with --server"),
        (("a", "--parallel", "2", "--priority", "low"), "--parallel, --priority: only with"),
        (("a", "--token-file", "x"), "--token-file: only with --server"),
        (("a", "--format", "both"), "several forms only with --output"),
        (("a", "--format", "markdown,xml"), "--format: name some of json, markdown, text"),
        (("a", "--format", ""), "--format: name some of"),
        (("a", "--format", "pdf"), "--format pdf: only with --server"),
        ((".", "--format", "pdf", "--output", "x", *SERVER), "--output must lie outside"),
        (("a", "--pages", "3-", "--pages", "0"), "--pages: "),
        (("a", "--max-new-tokens", "99999"), "max_new_tokens: Input should be less than"),
        (("a", "--format", "markdown", "--json"), "contradict each other"),
        (("a", "--engine", "fake", *SERVER), "leave it out with --server"),
        (("-", "--password-stdin", *SERVER), "cannot hold both"),
        (("-", "--server", "name:8080"), "--server: the address of a service looks like"),
        (("a", "--parallel", "0"), "'--parallel'"),
        (("a", "--priority", "urgent"), "'--priority'"),
    ],
)
def test_wrong_usage(arguments: tuple[str, ...], told: str) -> None:
    result = CliRunner().invoke(app, ["parse", *arguments])
    assert (result.exit_code, result.stdout) == (2, "")
    assert told in result.stderr


def test_many_documents_need_a_directory(tmp_path: Path) -> None:
    for name in ("a.pdf", "b.pdf"):
        (tmp_path / name).write_bytes(b"x")
    result = CliRunner().invoke(app, ["parse", str(tmp_path), *SERVER])
    assert result.exit_code == 2
    assert "--output DIR is needed" in result.stderr


@pytest.mark.parametrize("content", [b"", b"\n", b"a b\x00", "tökén".encode(), b"\xff"])
def test_a_token_that_is_none(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "token"
    path.write_bytes(content)
    result = CliRunner().invoke(app, ["parse", "-", "--token-file", str(path), *SERVER])
    assert result.exit_code == 1
    assert "token" in result.stderr


def test_a_place_that_is_not_there() -> None:
    result = CliRunner().invoke(app, ["parse", "/nowhere\x1b[2J", *SERVER])
    assert result.exit_code == 1
    assert "No such file" in result.stderr
    assert "\x1b" not in result.stderr

"""Servers that end before they could serve: told to, or because they cannot."""

import json
import subprocess
from pathlib import Path

import pytest
from docparser_api.names import ENV_MODEL
from docparser_runtime import farewell
from integration.runtime.processes import COMMAND, environment, run, serving

OWN_PID_NAMESPACE = ("unshare", "--pid", "--fork")
TOLD = "import os, signal\nos.kill(os.getpid(), signal.SIGTERM)\nraise ImportError('survived')\n"


def can_unshare() -> bool:
    try:
        return subprocess.run([*OWN_PID_NAMESPACE, "true"], check=False).returncode == 0
    except OSError:
        return False


def told_during_the_import_of(module: str, folder: Path) -> dict[str, str]:
    """Return an environment in which SIGTERM comes while `module` is imported."""
    (folder / f"{module}.py").write_text(TOLD)
    return environment() | {ENV_MODEL: "{}", "PYTHONPATH": str(folder)}


@pytest.mark.parametrize("module", ["typer", "uvicorn", "onnxruntime"])
@pytest.mark.parametrize(
    "prefix",
    [
        pytest.param((), id="plain"),
        pytest.param(
            OWN_PID_NAMESPACE,
            id="first process",
            marks=pytest.mark.skipif(not can_unshare(), reason="needs root"),
        ),
    ],
)
def test_a_signal_during_the_imports_is_heard(
    prefix: tuple[str, ...], module: str, tmp_path: Path
) -> None:
    ended = subprocess.run(
        [*prefix, *COMMAND, "serve", "--port", "0"],
        env=told_during_the_import_of(module, tmp_path),
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (0, "")


async def test_a_document_that_was_not_read_is_no_success(tmp_path: Path) -> None:
    environ = told_during_the_import_of("typer", tmp_path)
    code, _, _ = await run("parse", __file__, environ=environ)
    assert code < 0


async def test_an_engine_that_cannot_be_imported_is_the_last_word(tmp_path: Path) -> None:
    (tmp_path / "onnxruntime.py").write_text("raise ImportError('wrong\\n architecture')\n")
    environ = environment() | {ENV_MODEL: "{}", "PYTHONPATH": str(tmp_path)}
    async with serving(environ, until="engine_load_failed") as program:
        assert await program.exit_code() == 3
    assert "architecture" in program.events("engine_load_failed")[0]["reason"]
    reason = "engine rapidocr cannot be imported: wrong architecture"
    assert program.last_words == [f"docparser-runtime: engine_load_failed: {reason}\n"]


async def test_an_engine_that_cannot_load_is_the_last_word(tmp_path: Path) -> None:
    package = tmp_path / "rapidocr"
    package.mkdir()
    (package / "__init__.py").touch()
    environ = environment() | {ENV_MODEL: "{}", "PYTHONPATH": str(tmp_path)}
    words = []
    for _ in range(2):
        async with serving(environ, until="stopped") as program:
            assert await program.exit_code() == 3
        words.append(program.last_words)
    assert words[0] == words[1]
    (line,) = words[0]
    folder = package / "models"
    reason = f"weights_invalid: The weights in {folder} lack the file "
    assert line.startswith(f"docparser-runtime: engine_load_failed: {reason}")


async def test_a_wrong_configuration_is_the_last_word() -> None:
    environ = environment() | {ENV_MODEL: json.dumps({"engine": "nope"})}
    code, _, errors = await run("serve", environ=environ)
    assert code == 2
    assert errors.splitlines()[-1].startswith("docparser-runtime: DOCPARSER_MODEL: engine: ")


def test_kubernetes_is_told_in_one_short_line(tmp_path: Path) -> None:
    path = tmp_path / "termination-log"
    path.write_text("something older and longer")
    farewell.tell_kubernetes("a reason\n  in two lines", path)
    assert path.read_text() == "a reason in two lines"
    farewell.tell_kubernetes("x" * 9999, path)
    assert 500 < path.stat().st_size < 4096


def test_where_there_is_no_kubernetes_nothing_is_made(tmp_path: Path) -> None:
    farewell.tell_kubernetes("a reason", tmp_path / "termination-log")
    farewell.tell_kubernetes("a reason", tmp_path)
    assert [*tmp_path.iterdir()] == []

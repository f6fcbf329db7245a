"""The command line, as processes."""

import io
import json
import re
import socket
import subprocess
import sys
import time
from importlib.metadata import entry_points
from pathlib import Path

import pytest
from docparser_api.names import ENV_MODEL, ENV_RUNTIME
from docparser_runtime.__main__ import app, main
from integration.runtime.processes import environment, run
from PIL import Image
from support.sample_document import sample_pdf
from typer.testing import CliRunner

NAME = "docparser-runtime"


async def test_parse_prints_markdown() -> None:
    stream = io.BytesIO()
    Image.new("RGB", (64, 48), "white").save(stream, "PNG")
    environ = environment() | {ENV_MODEL: '{"engine": "rapidocr"}'}
    command = ("parse", "-", "--engine", "fake")
    code, output, errors = await run(*command, environ=environ, stdin=stream.getvalue())
    assert (code, errors) == (0, "")
    assert output == "# Page 1\n\nIt measures 64 by 48 pixels.\n"


async def test_parse_opens_encrypted_documents(tmp_path: Path) -> None:
    import pikepdf  # noqa: PLC0415

    path = tmp_path / "secret.pdf"
    with pikepdf.open(io.BytesIO(sample_pdf())) as pdf:
        pdf.save(path, encryption=pikepdf.Encryption(user="canary", owner="canary"))
    command = ("parse", str(path), "--json", "--password-stdin")
    code, output, _ = await run(*command, environ=environment(), stdin=b"canary\n")
    assert (code, len(json.loads(output)["pages"])) == (0, 3)
    code, output, errors = await run(*command, environ=environment(), stdin=b"wrong\n")
    assert (code, output) == (1, "")
    assert errors.startswith("docparser-runtime: password_invalid: ")


@pytest.mark.parametrize(
    ("arguments", "environ", "expected_code", "expected_error"),
    [
        (["parse", "/nowhere"], {}, 1, "cannot read /nowhere: No such file"),
        (["parse", "/dev/null"], {}, 1, "empty_document: "),
        (["parse", __file__, "--engine", "nope"], {}, 2, "engine: Input should be"),
        (["parse", __file__], {ENV_RUNTIME: '{"maxPagess": 1}'}, 2, "maxPagess: Extra inputs"),
        (["parse", "-", "--password-stdin"], {}, 2, "standard input cannot hold both"),
        (["parse"], {}, 2, "Missing argument"),
        (["nope"], {}, 2, "No such command"),
        (["serve"], {"DOCPARSER_RUNTIM": "{}"}, 2, "unknown environment variables"),
        (["serve"], {ENV_RUNTIME: '{"maxConcurrency": 0}'}, 2, "maxConcurrency: Input should be"),
        (["serve"], {"DOCPARSER_TOKEN": ""}, 2, "DOCPARSER_TOKEN must hold"),
        (["serve", "--port", "70000"], {}, 2, "Invalid value for '--port'"),
    ],
)
def test_failures_are_told_to_people(
    arguments: list[str], environ: dict[str, str], expected_code: int, expected_error: str
) -> None:
    result = CliRunner().invoke(app, arguments, env=environ)
    assert (result.exit_code, result.stdout) == (expected_code, "")
    assert expected_error in result.stderr


async def test_a_file_that_is_no_document() -> None:
    code, output, errors = await run("parse", __file__, environ=environment())
    assert (code, output) == (1, "")
    assert errors.startswith("docparser-runtime: unsupported_media_type: ")
    assert "Traceback" not in errors


def test_a_port_that_is_taken() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        result = CliRunner().invoke(app, ["serve", "--host", "127.0.0.1", "--port", port])
    assert (result.exit_code, result.stdout) == (1, "")
    assert f"cannot listen on 127.0.0.1, port {port}: " in result.stderr


def test_version() -> None:
    result = CliRunner().invoke(app, ["version"])
    assert re.fullmatch(r"\d+\.\d+\.\d+\n", result.stdout)


def test_help_is_quick_and_imports_nothing_heavy() -> None:
    probe = (
        "import sys; from docparser_runtime.__main__ import app; "
        "app(['--help'], standalone_mode=False); "
        "print(sorted({'torch', 'fastapi', 'numpy', 'onnxruntime', 'cv2'} & set(sys.modules)))"
    )
    began = time.monotonic()
    output = subprocess.run(
        [sys.executable, "-c", probe], capture_output=True, text=True, check=True
    ).stdout
    taken = time.monotonic() - began
    assert output.splitlines()[-1] == "[]"
    for command in ("serve", "parse", "version"):
        assert command in output
    assert taken < 3  # 0.2 s on an idle machine


def test_the_command_is_installed() -> None:
    (script,) = (point for point in entry_points(group="console_scripts") if point.name == NAME)
    assert script.load() is main

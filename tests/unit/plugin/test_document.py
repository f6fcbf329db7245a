"""docs/kubectl.md is complete; that what it names exists is tested with all documents."""

import re
from pathlib import Path
from typing import Any

import typer
from docparser_api import names
from docparser_kubectl.__main__ import app

TEXT = (Path(__file__).parents[3] / "docs" / "kubectl.md").read_text()
LINES = [line.removeprefix("$ ") for line in TEXT.splitlines() if line.startswith("$ ")]
OURS = [line for line in LINES if line.startswith("kubectl docparser ")]
COMMANDS: dict[str, Any] = vars(typer.main.get_command(app))["commands"]


def test_every_command_is_documented() -> None:
    assert {line.split()[2] for line in OURS} - {"--help"} == set(COMMANDS)


def test_every_option_that_decides_something_is_documented() -> None:
    words = set(TEXT.replace("`", " ").split())
    shared = {"--namespace", "--context", "--help"}
    for name, command in COMMANDS.items():
        for parameter in command.params:
            spellings = {opt for opt in parameter.opts if opt.startswith("-")} - shared - {"-n"}
            assert not spellings or spellings & words, (name, spellings)


def test_every_annotation_that_steers_is_documented() -> None:
    named = set(re.findall(rf"{names.GROUP}/[a-z]+(?:-[a-z]+)*", TEXT))
    assert named >= {
        names.ANNOTATION_ABORT,
        names.ANNOTATION_PAUSE,
        names.ANNOTATION_PROMOTE,
        names.ANNOTATION_RETRY,
        names.ANNOTATION_ROLLBACK_TO,
    }

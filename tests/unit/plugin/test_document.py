"""What docs/kubectl.md names exists."""

import re
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml
from docparser_api import names
from docparser_api.status import ConditionType
from docparser_kubectl.__main__ import app

ROOT = Path(__file__).parents[3]
TEXT = (ROOT / "docs" / "kubectl.md").read_text()
LINES = [line.removeprefix("$ ") for line in TEXT.splitlines() if line.startswith("$ ")]
OURS = [line for line in LINES if line.startswith("kubectl docparser ")]
VERBS = {"annotate", "apply", "describe", "diff", "docparser", "get", "wait"}
COMMANDS: dict[str, Any] = vars(typer.main.get_command(app))["commands"]
NAMES = {value for key, value in vars(names).items() if isinstance(value, str) and key.isupper()}


def test_commands_are_found() -> None:
    assert len(OURS) > 10


@pytest.mark.parametrize("line", OURS)
def test_a_command_exists_with_its_options(line: str) -> None:
    words = line.partition("#")[0].split()[2:]
    if words == ["--help"]:
        return
    command = COMMANDS[words[0]]
    known = {option for parameter in command.params for option in parameter.opts}
    assert {word for word in words if word.startswith("-")} <= known


def test_every_command_is_documented() -> None:
    assert {line.split()[2] for line in OURS} - {"--help"} == set(COMMANDS)


def test_plain_commands_are_those_of_kubectl() -> None:
    plain = [line for line in LINES if line.startswith("kubectl ")]
    assert {line.split()[1] for line in plain} <= VERBS


def test_labels_and_annotations_exist() -> None:
    named = set(re.findall(rf"{names.GROUP}/[a-z]+(?:-[a-z]+)*", TEXT))
    assert named <= NAMES
    assert {name for name in NAMES if name in named} >= {
        names.ANNOTATION_ABORT,
        names.ANNOTATION_PAUSE,
        names.ANNOTATION_PROMOTE,
        names.ANNOTATION_RETRY,
        names.ANNOTATION_ROLLBACK_TO,
    }


def test_conditions_exist() -> None:
    waited_for = set(re.findall(r"--for=condition=(\w+)", TEXT))
    assert waited_for
    assert waited_for <= set(ConditionType)


def test_status_fields_exist() -> None:
    crd = yaml.safe_load((ROOT / "crds" / "docparserdeployments.yaml").read_text())
    schema = crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    paths = re.findall(r"\{\.(status[.\w]*)\}", TEXT)
    assert paths
    for path in paths:
        found = schema
        for part in path.split("."):
            found = found["properties"][part]

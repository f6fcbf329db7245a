import pytest
from docparser_kubectl.__main__ import app
from docparser_kubectl.errors import Failure
from typer.testing import CliRunner

WRONG = {
    "no command": [],
    "an unknown command": ["explode"],
    "a name that cannot be": ["status", "No_Name"],
    "a namespace that cannot be": ["status", "reader", "-n", "../x"],
    "another kind": ["status", "pod/reader"],
    "a rollback to nowhere": ["rollback", "reader"],
    "a rollback that is to end": ["rollback", "reader", "--to", "1", "--end"],
    "a plan without a file": ["plan"],
    "a view that is data": ["status", "reader", "--watch", "-o", "json"],
    "an unknown format": ["history", "reader", "-o", "xml"],
}


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_command_line_ends_with_2(what: str) -> None:
    assert CliRunner().invoke(app, WRONG[what]).exit_code == 2


def test_a_file_that_does_not_exist_is_a_failure() -> None:
    done = CliRunner().invoke(app, ["plan", "-f", "nowhere.yaml"])
    assert isinstance(done.exception, Failure)
    assert "nowhere.yaml cannot be read" in str(done.exception)


def test_a_file_for_another_namespace_is_a_failure() -> None:
    text = "kind: DocParserDeployment\nmetadata: {name: a, namespace: ocr}\n"
    done = CliRunner().invoke(app, ["plan", "-f", "-", "-n", "other"], input=text)
    assert "names namespace ocr, not other" in str(done.exception)

from pathlib import Path

import pytest
import yaml
from docparser_api import names
from docparser_api.spec import DocParserDeploymentSpec

EXAMPLES = sorted((Path(__file__).parents[3] / "examples").glob("*.yaml"))


def test_there_are_examples() -> None:
    assert EXAMPLES


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: str(path.name))
def test_an_example_is_valid(path: Path) -> None:
    found = [doc for doc in yaml.safe_load_all(path.read_text()) if doc]
    ours = [doc for doc in found if doc["kind"] == names.KIND]
    assert ours
    for document in ours:
        assert document["apiVersion"] == names.API_VERSION
        DocParserDeploymentSpec.model_validate(document["spec"])

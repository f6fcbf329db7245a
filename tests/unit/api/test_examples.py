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


def test_the_canary_ends_by_itself_within_half_a_minute_of_trial() -> None:
    (path,) = (path for path in EXAMPLES if "canary" in path.name)
    spec = DocParserDeploymentSpec.model_validate(yaml.safe_load(path.read_text())["spec"])
    steps = spec.rollout.steps or []
    assert all(step.analysis is None for step in steps)
    pauses = [step.pause.duration_seconds for step in steps if step.pause is not None]
    assert None not in pauses
    assert sum(filter(None, pauses)) <= 30

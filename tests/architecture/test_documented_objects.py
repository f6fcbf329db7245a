"""Objects, tables of numbers and defaults in the documents are what the code makes of them."""

import re
from datetime import UTC, datetime
from typing import Any

import pytest
from docparser_api import names
from docparser_api.analysis import AnalysisSpec, GoldenDocuments
from docparser_api.base import ApiModel
from docparser_api.rollout import AnalysisStep, RolloutSpec
from docparser_api.spec import DocParserDeploymentSpec
from docparser_operator.steps import Requests, Walk
from support.documents import REPOSITORY, objects

OURS = [(where, body) for where, body in objects() if body.get("kind", names.KIND) == names.KIND]
ROLLOUTS = (REPOSITORY / "docs/rollouts.md").read_text()
ANALYSIS = (REPOSITORY / "docs/analysis.md").read_text()


def test_objects_are_found() -> None:
    assert len(OURS) >= 5


@pytest.mark.parametrize(("where", "body"), OURS, ids=[where for where, _ in OURS])
def test_an_object_is_valid(where: str, body: dict[str, Any]) -> None:
    """Blocks may be whole objects, or only `spec` as far as it matters."""
    assert set(body) <= {"apiVersion", "kind", "metadata", "spec"}, where
    assert body.get("apiVersion", names.API_VERSION) == names.API_VERSION
    DocParserDeploymentSpec.model_validate({"image": "example.org/runtime:1", **body["spec"]})


SHARES = re.findall(r"^\| (\d+) \| (\d+) \| (\d+) \| (\d+) % \|$", ROLLOUTS, re.MULTILINE)


def test_shares_are_found() -> None:
    assert len(SHARES) >= 4


@pytest.mark.parametrize(("old", "weight", "new", "share"), SHARES)
def test_a_share_is_reached_by_as_many_pods(old: str, weight: str, new: str, share: str) -> None:
    rules = RolloutSpec.model_validate(
        {"strategy": "Canary", "steps": [{"setWeight": int(weight)}]}
    )
    walk = Walk(
        rules=rules,
        replicas=int(old),
        base=int(old),
        exact=False,
        in_place=False,
        available=0,
        analysis=None,
        requests=Requests(),
        blocked=False,
        now=datetime(2026, 1, 1, tzinfo=UTC),
    )
    assert walk.demand(0).pods == int(new)
    assert round(100 * int(new) / (int(new) + int(old))) == int(share)


DEFAULTS: list[tuple[str, type[ApiModel]]] = [
    (ANALYSIS, AnalysisSpec),
    (ANALYSIS, AnalysisStep),
    (ANALYSIS, GoldenDocuments),
    (ROLLOUTS, RolloutSpec),
    ((REPOSITORY / "docs/rollback.md").read_text(), DocParserDeploymentSpec),
    ((REPOSITORY / "docs/rollback.md").read_text(), RolloutSpec),
]


@pytest.mark.parametrize(("text", "model"), DEFAULTS)
def test_a_number_in_brackets_behind_a_field_is_its_default(
    text: str, model: type[ApiModel]
) -> None:
    stated = re.findall(r"`(?:[a-z]\w*\.)*(\w+)`(?: of)?\s\(([\d.,]+)\)", text)
    defaults = {field.alias: field.default for field in model.model_fields.values()}
    checked = {name: value for name, value in stated if name in defaults}
    assert checked, "no default of it is stated"
    for name, value in checked.items():
        assert float(value.replace(",", "")) == defaults[name], name


def test_defaults_in_the_table_of_checks() -> None:
    spec = AnalysisSpec()
    for field, number in re.findall(
        r"\| `([a-zA-Z.]+)` \| (\d+)(?: points| %|) ?[^|]*\|", ANALYSIS
    ):
        block, _, name = field.partition(".")
        found = spec.model_dump(by_alias=True)[block][name]
        assert found == int(number), field

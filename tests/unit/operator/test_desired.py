"""The children of a spec: `data/<case>/in.yaml` and what comes of it, `out.yaml`.

After a wanted change: `pytest tests/unit/operator/test_desired.py --update-golden`, then read the
diff. A change of a pod template restarts every pod that is rolled out anew.
"""

from pathlib import Path
from typing import Any

import pytest
import yaml
from docparser_api import names
from docparser_operator.observed import Observed
from docparser_operator.plan import make_plan
from support.builders import a_parser
from support.fake_clock import START

DATA = Path(__file__).parent / "data"
CASES = sorted(path.parent for path in DATA.glob("*/in.yaml"))


def children(case: Path) -> list[dict[str, Any]]:
    spec = yaml.safe_load((case / "in.yaml").read_text())
    parser = a_parser().with_spec(**spec).with_generation(3).built()
    return list(make_plan(parser, Observed(), START).apply)


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case.name))
def test_children(case: Path, request: pytest.FixtureRequest) -> None:
    out = case / "out.yaml"
    found = yaml.safe_dump_all(children(case), sort_keys=False, width=100)
    if request.config.getoption("--update-golden"):
        out.write_text(found)
    assert found == out.read_text()


def test_every_child_is_labelled_and_owned() -> None:
    for manifest in children(DATA / "everything"):
        metadata = manifest["metadata"]
        assert metadata["labels"][names.LABEL_MANAGED_BY] == names.MANAGER
        assert metadata["labels"][names.LABEL_DEPLOYMENT] == "reader"
        assert [owner["uid"] for owner in metadata["ownerReferences"]] == ["uid-1"]


def test_pods_are_selected_by_what_they_bear() -> None:
    found = {manifest["kind"]: manifest for manifest in children(DATA / "everything")}
    labels = found["Deployment"]["spec"]["template"]["metadata"]["labels"]
    selectors = (
        found["Deployment"]["spec"]["selector"]["matchLabels"],
        found["Service"]["spec"]["selector"],
        found["PodDisruptionBudget"]["spec"]["selector"]["matchLabels"],
    )
    assert all(selector.items() <= labels.items() for selector in selectors)


def test_a_user_cannot_take_a_label_that_selects() -> None:
    stolen = {names.LABEL_DEPLOYMENT: "x", "team": "papers"}
    parser = a_parser().with_spec(podMetadata={"labels": stolen}).built()
    deployment = make_plan(parser, Observed(), START).apply[-1]
    labels = deployment["spec"]["template"]["metadata"]["labels"]
    assert (labels[names.LABEL_DEPLOYMENT], labels["team"]) == ("reader", "papers")

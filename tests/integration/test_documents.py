"""A real API server takes the objects that the documents and the examples show."""

import json
from typing import Any

import pytest
import yaml
from docparser_api import names
from support.documents import REPOSITORY, objects
from support.kubectl import Kubectl

EXAMPLES = [
    (path.name, yaml.safe_load(path.read_text()))
    for path in sorted((REPOSITORY / "examples").glob("*.yaml"))
]
SHOWN = [
    (where, body)
    for where, body in (*objects(), *EXAMPLES)
    if body.get("kind", names.KIND) in {names.KIND, "NetworkPolicy"}
]


@pytest.mark.parametrize(("where", "body"), SHOWN, ids=[where for where, _ in SHOWN])
def test_an_object_is_taken(where: str, body: dict[str, Any], kubectl: Kubectl) -> None:
    """Where only `spec` is shown, the rest is as everywhere."""
    frame = {"apiVersion": names.API_VERSION, "kind": names.KIND, "metadata": {"name": "reader"}}
    whole = {**frame, **body}
    if whole["kind"] == names.KIND:
        whole["spec"] = {"image": "example.org/runtime:1", **whole["spec"]}
    answer = kubectl.run(
        "create", "--dry-run=server", "-o", "json", "-f", "-", stdin=json.dumps(whole)
    )
    assert json.loads(answer)["metadata"]["name"], where

import json
from pathlib import Path

import pytest
from docparser_kubectl import files
from docparser_kubectl.dry_run import LAST_APPLIED, Apply, Create, Merge, three_way, trial
from docparser_kubectl.errors import Failure
from docparser_operator.kinds import Manifest

ONE = "kind: DocParserDeployment\nmetadata: {name: one}\n"
TWO = "kind: DocParserDeployment\nmetadata: {name: two}\n"
OTHER = "kind: Service\nmetadata: {name: one}\n"


def test_the_only_object_needs_no_name() -> None:
    assert files.find(f"{OTHER}---\n{ONE}---\n", "f", None)["metadata"]["name"] == "one"


def test_a_name_chooses_among_several() -> None:
    assert files.find(f"{ONE}---\n{TWO}", "f", "two")["metadata"]["name"] == "two"


REFUSED = {
    "no object": (OTHER, None, "f holds no DocParserDeployment"),
    "none of that name": (ONE, "two", "f holds no DocParserDeployment two"),
    "several": (f"{ONE}---\n{TWO}", None, "f holds several: one, two"),
    "no YAML": ("a: [", None, "f is not YAML"),
    "no name": ("kind: DocParserDeployment", None, "has no metadata.name"),
    "a text": ("hello", None, "f holds no DocParserDeployment"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_other_files_are_refused(what: str) -> None:
    text, name, want = REFUSED[what]
    with pytest.raises(Failure, match=want):
        files.find(text, "f", name)


def test_a_file_is_read_or_the_reason_is_named(tmp_path: Path) -> None:
    path = tmp_path / "f.yaml"
    with pytest.raises(Failure, match="cannot be read"):
        files.read(str(path))
    path.write_text(ONE)
    assert files.read(str(path)) == ONE


def live(last: Manifest | None, *managers: str) -> Manifest:
    fields = [
        {"manager": name, "operation": "Apply", "fieldsV1": {"f:spec": {}}} for name in managers
    ]
    updated = {"manager": "x", "operation": "Update", "fieldsV1": {"f:spec": {}}}
    annotations = {} if last is None else {LAST_APPLIED: json.dumps(last)}
    return {"metadata": {"annotations": annotations, "managedFields": [updated, *fields]}}


TRIALS = {
    "no object": (None, Create()),
    "kubectl apply": (live({"spec": {"b": 1}}), Merge({"spec": {"a": 1, "b": None}})),
    "server-side apply": (live(None, "argocd-controller"), Apply("argocd-controller")),
    "both": (live({"spec": {"b": 1}}, "kubectl"), Apply("kubectl")),
    "several": (live(None, "a", "b"), Apply("kubectl")),
    "kubectl create": (live(None), Apply("kubectl")),
}


@pytest.mark.parametrize("what", TRIALS)
def test_a_file_is_tried_as_its_tool_would_apply_it(what: str) -> None:
    present, want = TRIALS[what]
    assert trial(present, {"spec": {"a": 1}}) == want


def test_a_merge_removes_what_the_file_names_no_longer() -> None:
    last = {"spec": {"a": {"x": 1, "y": 2}, "b": 1, "c": [1], "d": 1}}
    new = {"spec": {"a": {"x": 3}, "c": [2], "d": {"e": 1}}}
    assert three_way(last, new) == {
        "spec": {"a": {"x": 3, "y": None}, "b": None, "c": [2], "d": {"e": 1}}
    }

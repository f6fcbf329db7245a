from typing import Any

import pytest
from docparser_operator.applied import AppliedObjects
from docparser_operator.kinds import DEPLOYMENT, Manifest, Ref

REF = Ref(DEPLOYMENT, "default", "reader")
WANTED: Manifest = {"metadata": {"name": "reader"}, "spec": {"replicas": 1}}


def live(**changes: Any) -> Manifest:
    metadata = {
        "uid": "u",
        "resourceVersion": "1",
        "generation": 1,
        "labels": {"a": "b"},
        "annotations": {"deployment.kubernetes.io/revision": "1"},
    }
    body: Manifest = {"metadata": metadata, "spec": {"replicas": 1, "paused": False}, "status": {}}
    for key, value in changes.items():
        body[key] = {**body[key], **value}
    # Every change makes another version.
    body["metadata"]["resourceVersion"] = str(1 + len(changes))
    return body


def remembered() -> AppliedObjects:
    memory = AppliedObjects()
    memory.record(REF, WANTED, live())
    return memory


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"status": {"replicas": 1}},
        {"metadata": {"resourceVersion": "9", "managedFields": [1], "generation": 1}},
        {"metadata": {"annotations": {"deployment.kubernetes.io/revision": "2"}}},
    ],
)
def test_what_controllers_report_calls_for_no_write(change: dict[str, Any]) -> None:
    assert remembered().holds(REF, WANTED, live(**change))


@pytest.mark.parametrize(
    "change",
    [
        {"spec": {"replicas": 2}},
        {"spec": {"paused": True}},
        {"metadata": {"labels": {}}},
        {"metadata": {"annotations": {"x": "y"}}},
        {"metadata": {"ownerReferences": [{"uid": "o"}]}},
        {"metadata": {"uid": "another"}},
    ],
)
def test_what_somebody_set_calls_for_a_write(change: dict[str, Any]) -> None:
    assert not remembered().holds(REF, WANTED, live(**change))


def test_another_wish_calls_for_a_write() -> None:
    assert not remembered().holds(REF, {**WANTED, "spec": {"replicas": 2}}, live())


def test_nothing_is_known_after_a_restart_or_an_end() -> None:
    assert not AppliedObjects().holds(REF, WANTED, live())
    memory = remembered()
    memory.forget(REF)
    assert not memory.holds(REF, WANTED, live())

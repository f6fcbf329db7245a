import pytest
from docparser_api.deployment import parse, parse_status
from docparser_api.status import ConditionType, DocParserDeploymentStatus
from pydantic import ValidationError
from support.builders import a_parser

CONDITION = {
    "type": "Ready",
    "status": "True",
    "observedGeneration": 1,
    "lastTransitionTime": "2026-01-01T00:00:00Z",
    "reason": "Available",
    "message": "3 of 3",
}


def test_a_spec_of_only_an_image_has_all_defaults() -> None:
    spec = a_parser().built().spec
    assert (spec.replicas, spec.model.engine, spec.rollout.strategy) == (1, "rapidocr", "Surge")


def test_metadata_that_no_decision_depends_on_is_left_out() -> None:
    body = a_parser().body()
    body["metadata"] |= {"managedFields": [], "finalizers": ["x"], "labels": {"a": "b"}}
    assert parse(body).metadata == a_parser().built().metadata


@pytest.mark.parametrize(
    "spec",
    [{"replica": 3}, {"runtime": {"maxConcurency": 2}}, {"scheduling": {"nodeName": "a"}}],
)
def test_an_unknown_field_of_the_spec_is_refused(spec: dict[str, object]) -> None:
    with pytest.raises(ValidationError, match="extra_forbidden"):
        a_parser().with_spec(**spec).built()


def test_a_status_that_cannot_be_read_counts_as_empty() -> None:
    body = a_parser().with_status(replicas="many").body()
    assert parse_status(body) == DocParserDeploymentStatus()


def test_a_status_of_a_newer_operator_is_read_as_far_as_it_is_known() -> None:
    status = {
        "currentRevision": "a",
        "canary": {"weight": 5},
        "rollout": {"revision": "b", "startedAt": "2026-01-01T00:00:00Z", "step": 3},
        "conditions": [{**CONDITION, "severity": "high"}],
    }
    found = parse_status(a_parser().with_status(**status).body())
    assert found.current_revision == "a"
    assert found.rollout is not None
    assert found.rollout.revision == "b"
    assert [condition.type for condition in found.conditions] == [ConditionType.READY]

from typing import Any

import pytest
from docparser_api.resource import custom_resource_definition
from docparser_operator.kinds import DEPLOYMENT, DOC_PARSER
from docparser_operator.schema_check import complaint, lost_fields, served_schema

KNOWN = custom_resource_definition()["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
Schema = dict[str, Any]


def fields(*names: str) -> Schema:
    """An object with fields of text."""
    return {"type": "object", "properties": {name: {"type": "string"} for name in names}}


def places(schema: Schema, path: str = "") -> list[str]:
    """Every field of a schema, at any depth, as `lost_fields` would name it."""
    found = []
    for name, below in schema.get("properties", {}).items():
        place = f"{path}.{name}".removeprefix(".")
        found += [place, *places(below, place)]
    if "items" in schema:
        found += places(schema["items"], f"{path}[]")
    if isinstance(schema.get("additionalProperties"), dict):
        found += places(schema["additionalProperties"], f"{path}.*")
    return found


def without(schema: Schema, place: str, path: str = "") -> Schema:
    """The schema with one field cut out."""
    properties = {
        name: without(below, place, f"{path}.{name}".removeprefix("."))
        for name, below in schema.get("properties", {}).items()
        if f"{path}.{name}".removeprefix(".") != place
    }
    cut = {**schema, **({"properties": properties} if "properties" in schema else {})}
    if "items" in schema:
        cut["items"] = without(schema["items"], place, f"{path}[]")
    if isinstance(schema.get("additionalProperties"), dict):
        cut["additionalProperties"] = without(schema["additionalProperties"], place, f"{path}.*")
    return cut


def test_the_same_schema_loses_nothing() -> None:
    assert lost_fields(KNOWN, KNOWN) == []


def test_each_field_that_lacks_is_found() -> None:
    every = places(KNOWN)
    assert len(every) > 300
    for place in every:
        assert lost_fields(KNOWN, without(KNOWN, place)) == [place]


def test_fields_that_only_the_cluster_knows_do_no_harm() -> None:
    assert lost_fields(fields("a"), fields("a", "b")) == []


def test_a_schema_that_keeps_the_unknown_loses_nothing() -> None:
    served = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    assert lost_fields(fields("a"), served) == []


@pytest.mark.parametrize(
    ("served", "lost"),
    [
        ({"type": "object"}, ["labels.*"]),
        ({"type": "object", "additionalProperties": True}, []),
        ({"type": "object", "additionalProperties": fields("a")}, ["labels.*.b"]),
    ],
)
def test_values_of_a_map_may_be_lost_too(served: Schema, lost: list[str]) -> None:
    known = {"type": "object", "additionalProperties": fields("a", "b")}
    assert lost_fields(known, served, "labels") == lost


def test_the_schema_of_a_kind_is_found_in_the_document() -> None:
    named = [{"group": "docparser.dev", "version": "v1alpha1", "kind": "DocParserDeployment"}]
    schema = {**KNOWN, "x-kubernetes-group-version-kind": named}
    document = {"components": {"schemas": {"Other": fields("a"), "Ours": schema}}}
    assert served_schema(document, DOC_PARSER) is schema
    assert served_schema(document, DEPLOYMENT) is None
    assert served_schema({}, DOC_PARSER) is None


def test_a_complaint_names_the_fields_and_the_way_out() -> None:
    words = complaint([f"spec.field{number}" for number in range(12)])
    assert "spec.field0, " in words
    assert "spec.field9 and 2 more; " in words
    assert "kubectl apply" in words
    assert "more" not in complaint(["spec.a"])

from typing import Annotated, Any, Literal

import pytest
from docparser_api.base import ApiModel, cel, validations
from docparser_api.quantity import Quantity
from docparser_api.resource import custom_resource_definition
from docparser_api.schema import structural
from pydantic import Field, StringConstraints, create_model


class Inner(ApiModel):
    size: int = 3
    """Size of it."""


class Ruled(ApiModel):
    model_config = {"json_schema_extra": validations(cel("self.a > 1", "more"))}

    a: int = 2
    """A."""


def schema_of(annotation: Any, default: Any = ...) -> Any:
    """Return the schema of one field of that type."""
    model = create_model("Sample", __base__=ApiModel, field=(annotation, default))
    return structural(model)["properties"]["field"]


CONVERSIONS: dict[str, tuple[Any, Any, dict[str, Any]]] = {
    "a number with bounds": (
        Annotated[int, Field(ge=1, le=5)],
        2,
        {"type": "integer", "default": 2, "minimum": 1, "maximum": 5},
    ),
    "a text with bounds": (
        Annotated[str, StringConstraints(min_length=1, max_length=9, pattern="^a")],
        "a",
        {"type": "string", "default": "a", "minLength": 1, "maxLength": 9, "pattern": "^a"},
    ),
    "a choice": (
        Literal["a", "b"],
        "a",
        {"type": "string", "default": "a", "enum": ["a", "b"]},
    ),
    "an optional value has neither null nor default": (
        Annotated[int | None, Field(ge=1)],
        None,
        {"type": "integer", "minimum": 1},
    ),
    "an object of defaults fills itself in": (
        Inner,
        Inner(),
        {
            "type": "object",
            "default": {},
            "properties": {
                "size": {"type": "integer", "default": 3, "description": "Size of it. Default: 3."}
            },
        },
    ),
    "an optional object has no default": (
        Inner | None,
        None,
        {
            "type": "object",
            "properties": {
                "size": {"type": "integer", "default": 3, "description": "Size of it. Default: 3."}
            },
        },
    ),
    "a map": (
        dict[str, Annotated[str, StringConstraints(max_length=4)]],
        {},
        {
            "type": "object",
            "default": {},
            "additionalProperties": {"type": "string", "maxLength": 4},
        },
    ),
    "a list": (
        Annotated[list[int], Field(max_length=3)],
        [],
        {"type": "array", "default": [], "maxItems": 3, "items": {"type": "integer"}},
    ),
    "an amount keeps number or text": (
        Quantity,
        "1",
        {
            "default": "1",
            "x-kubernetes-int-or-string": True,
            "anyOf": [{"type": "integer"}, {"type": "string"}],
            "pattern": r"^[0-9]+(\.[0-9]+)?(m|k|Ki|M|Mi|G|Gi|T|Ti|P|Pi|E|Ei|e[0-9]+)?$",
            "maxLength": 32,
        },
    ),
    "a rule of a class": (
        Ruled | None,
        None,
        {
            "type": "object",
            "properties": {"a": {"type": "integer", "default": 2, "description": "A. Default: 2."}},
            "x-kubernetes-validations": [{"rule": "self.a > 1", "message": "more"}],
        },
    ),
}


@pytest.mark.parametrize("name", CONVERSIONS)
def test_a_field_becomes_structural(name: str) -> None:
    annotation, default, wanted = CONVERSIONS[name]
    found = schema_of(annotation, default)
    found.pop("description", None)
    assert found == wanted


REFUSALS: dict[str, tuple[Any, str]] = {
    "a union": (int | str, "union"),
    "an exclusive bound, which is a boolean in a CRD": (
        Annotated[int, Field(gt=1)],
        "exclusiveMinimum",
    ),
    "a constant": (Literal["only"], "const"),
    "a step": (Annotated[int, Field(multiple_of=2)], "multipleOf"),
    "a tuple": (tuple[int, str], "prefixItems"),
    "a set": (set[int], "uniqueItems"),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_what_a_crd_cannot_express_is_refused_by_name(name: str) -> None:
    annotation, word = REFUSALS[name]
    with pytest.raises(ValueError, match=rf"Sample\.field: .*{word}"):
        schema_of(annotation)


def test_a_rule_is_written_on_one_line() -> None:
    assert cel("a\n   && b", " mend\n it ") == {"rule": "a && b", "message": "mend it"}


def _fields(schema: dict[str, Any], path: str) -> list[tuple[str, dict[str, Any]]]:
    """Return every field below `schema` with its path."""
    found = []
    for name, value in schema.get("properties", {}).items():
        found += [(f"{path}.{name}", value), *_fields(value, f"{path}.{name}")]
    if "items" in schema:
        found += _fields(schema["items"], f"{path}[]")
    return found


ROOT = custom_resource_definition()["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
FIELDS = [field for part in ("spec", "status") for field in _fields(ROOT["properties"][part], part)]


@pytest.mark.parametrize(("path", "schema"), FIELDS, ids=[path for path, _ in FIELDS])
def test_every_field_is_described_and_bounded(path: str, schema: dict[str, Any]) -> None:
    assert schema["description"].endswith("."), path
    if schema.get("type") == "integer":
        assert "minimum" in schema, path
    if schema.get("type") == "array":
        assert "maxItems" in schema, path
    if schema.get("type") == "string" and "enum" not in schema:
        assert "maxLength" in schema, path


def test_the_crd_serves_scale_and_status() -> None:
    version = custom_resource_definition()["spec"]["versions"][0]
    assert set(version["subresources"]) == {"status", "scale"}
    assert version["subresources"]["scale"]["labelSelectorPath"] == ".status.selector"

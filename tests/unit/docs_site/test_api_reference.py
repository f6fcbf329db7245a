from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from docparser_site import api_reference, pages

CRD: dict[str, Any] = yaml.safe_load(
    (pages.REPOSITORY / "crds/docparserdeployments.yaml").read_text()
)
FIELDS = CRD["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]


def crd(**field: Any) -> dict[str, Any]:
    """A definition with the one field `spec.x`."""
    properties = {
        "spec": {"type": "object", "required": ["y"], "properties": {"x": field}},
        "status": {"type": "object", "properties": {}},
    }
    version = {"name": "v1", "schema": {"openAPIV3Schema": {"properties": properties}}}
    names = {"kind": "Thing", "shortNames": ["t"]}
    return {"spec": {"group": "example.org", "names": names, "versions": [version]}}


def paths(path: str, schema: dict[str, Any]) -> Iterator[str]:
    """The path of each field below `path`."""
    for name, field in schema.get("properties", {}).items():
        yield f"{path}.{name}"
        inner, suffix = field, ""
        while "properties" not in inner:
            if "items" in inner:
                inner, suffix = inner["items"], suffix + "[]"
            elif isinstance(inner.get("additionalProperties"), dict):
                inner, suffix = inner["additionalProperties"], suffix + "{}"
            else:
                break
        yield from paths(f"{path}.{name}{suffix}", inner)


def test_each_field_has_one_anchor() -> None:
    text = api_reference.page(CRD)
    wanted = [path for top in ("spec", "status") for path in paths(top, FIELDS[top])]
    assert len(wanted) > 200
    assert [path for path in wanted if text.count(f'<a id="{path}"></a>') != 1] == []


@pytest.mark.parametrize(
    ("field", "row"),
    [
        (
            {"type": "integer", "minimum": 1, "maximum": 9, "default": 4, "description": "Of a|b."},
            "| integer | `4` | at least 1; at most 9 | Of a\\|b. |",
        ),
        ({"type": "string", "enum": ["A", "B"]}, "| string |  | one of `A`, `B` |  |"),
        (
            {"type": "array", "maxItems": 2, "items": {"type": "string", "minLength": 1}},
            "| list of string |  | 2 items or fewer; each 1 characters or more |  |",
        ),
        (
            {"type": "object", "additionalProperties": {"type": "string"}},
            "| map of string |  |  |  |",
        ),
        (
            {"type": "string", "default": "", "description": "<b>"},
            '| string | `""` |  | &lt;b&gt; |',
        ),
        (
            {"type": "string", "x-kubernetes-validations": [{"rule": "self != ''"}]},
            "| string |  | self != '' |  |",
        ),
    ],
)
def test_a_row_tells_type_default_bounds_and_meaning(field: dict[str, Any], row: str) -> None:
    assert f'| <a id="spec.x"></a>`x` {row}' in api_reference.page(crd(**field))


def test_a_required_field_says_so() -> None:
    definition = crd(type="string")
    fields = definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]
    fields["spec"]["required"] = ["x"]
    assert "| string | required |" in api_reference.page(definition)


def test_an_unknown_word_of_the_schema_is_refused() -> None:
    with pytest.raises(ValueError, match=r"spec\.x: .*multipleOf"):
        api_reference.page(crd(type="integer", multipleOf=2))

"""The reference of the API as Markdown, from the schema of the CustomResourceDefinition."""

import html
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

Schema = Mapping[str, Any]

LIMITS = {
    "minimum": "at least {}",
    "maximum": "at most {}",
    "minLength": "{} characters or more",
    "maxLength": "{} characters or fewer",
    "minItems": "{} items or more",
    "maxItems": "{} items or fewer",
    "minProperties": "{} entries or more",
    "maxProperties": "{} entries or fewer",
    "pattern": "matches `{}`",
    "format": "format `{}`",
}
SHOWN_ELSEWHERE = {
    "type",
    "description",
    "default",
    "enum",
    "required",
    "properties",
    "items",
    "additionalProperties",
    "anyOf",
    "x-kubernetes-int-or-string",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-list-type",
    "x-kubernetes-preserve-unknown-fields",
    "x-kubernetes-validations",
    "nullable",
}
COLUMNS = "| field | type | default | bounds | meaning |\n| --- | --- | --- | --- | --- |\n"


def page(crd: Schema) -> str:
    """Return the page: each field of `spec` and `status`, with an anchor that is its path.

    Raises:
        ValueError: the schema says something that the page would leave out.
    """
    names, version = crd["spec"]["names"], crd["spec"]["versions"][0]
    fields = version["schema"]["openAPIV3Schema"]["properties"]
    head = (
        f"# Reference of the API\n\n`{names['kind']}`, `{crd['spec']['group']}/{version['name']}`, "
        f"short name `{names['shortNames'][0]}`. Made from the CustomResourceDefinition.\n\n"
    )
    return head + "".join(part for top in ("spec", "status") for part in _parts(top, fields[top]))


def _parts(path: str, schema: Schema) -> Iterator[str]:
    """Yield the section of the object at `path`, then those of the objects in it."""
    # The list beside the page has room for the short paths only.
    level = "##" if path.count(".") <= 1 else "###"
    yield f'<a id="{path}"></a>\n\n{level} `{path}`\n\n{_prose(schema.get("description", ""))}\n\n'
    rules = [_prose(_message(rule)) for rule in schema.get("x-kubernetes-validations", ())]
    if rules:
        yield "Rules:\n\n" + "".join(f"- {rule}\n" for rule in rules) + "\n"
    properties = schema["properties"]
    required = schema.get("required", ())
    yield COLUMNS
    for name, field in properties.items():
        yield _row(f"{path}.{name}", field, required=name in required)
    yield "\n"
    for name, field in properties.items():
        inner, suffix = _inner(field)
        if "properties" in inner:
            yield from _parts(f"{path}.{name}{suffix}", inner)


def _inner(field: Schema) -> tuple[Schema, str]:
    """Return what a list or map holds and the suffix of its path, or `field` itself."""
    if "items" in field:
        inner, suffix = _inner(field["items"])
        return inner, "[]" + suffix
    if isinstance(field.get("additionalProperties"), dict):
        inner, suffix = _inner(field["additionalProperties"])
        return inner, "{}" + suffix
    return field, ""


def _row(path: str, field: Schema, *, required: bool) -> str:
    inner, suffix = _inner(field)
    # An object has a section of its own with the anchor of its path.
    own_section = "properties" in inner and not suffix
    shown = f"`{path.rpartition('.')[2]}`"
    if "properties" in inner:
        shown = f"[{shown}](#{path}{suffix})"
    anchor = "" if own_section else f'<a id="{path}"></a>'
    default = f"`{json.dumps(field['default'])}`" if "default" in field else ""
    meaning = _prose(field.get("description", ""))
    cells = (
        anchor + shown,
        _type(field),
        "required" if required else default,
        "; ".join(_bounds(path, field)),
        meaning,
    )
    return "| " + " | ".join(cells) + " |\n"


def _type(field: Schema) -> str:
    if "items" in field:
        return f"list of {_type(field['items'])}"
    if isinstance(field.get("additionalProperties"), dict):
        return f"map of {_type(field['additionalProperties'])}"
    if field.get("x-kubernetes-int-or-string"):
        return "integer or string"
    return str(field.get("type", "any"))


def _bounds(path: str, field: Schema) -> Iterator[str]:
    """Yield the bounds of a field, then those of what a list or map of plain values holds."""
    unknown = field.keys() - LIMITS.keys() - SHOWN_ELSEWHERE
    if unknown:
        raise ValueError(f"{path}: no way to show {sorted(unknown)}")
    if "enum" in field:
        yield "one of " + ", ".join(f"`{value}`" for value in field["enum"])
    yield from (text.format(field[key]) for key, text in LIMITS.items() if key in field)
    if "properties" not in field:
        rules = field.get("x-kubernetes-validations", ())
        yield from (_prose(_message(rule)) for rule in rules)
    for inner in (field.get("items"), field.get("additionalProperties")):
        if isinstance(inner, dict) and "properties" not in inner:
            yield from (f"each {bound}" for bound in _bounds(path, inner))


def _message(rule: Schema) -> str:
    return str(rule.get("message") or rule["rule"])


def _prose(text: str) -> str:
    """Return `text` on one line, with nothing in it that Markdown would take for markup."""
    line = html.escape(" ".join(text.split()), quote=False)
    return re.sub(r"([*_|\[\]])", r"\\\1", line)

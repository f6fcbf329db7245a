"""Turns a pydantic model into a structural schema of a CustomResourceDefinition.

Source of the rules: Kubernetes documentation, "Specifying a structural schema".
"""

from typing import Any

from pydantic import BaseModel

Schema = dict[str, Any]

_KEPT = (
    "type",
    "description",
    "format",
    "default",
    "enum",
    "items",
    "maxItems",
    "maximum",
    "maxLength",
    "maxProperties",
    "minItems",
    "minimum",
    "minLength",
    "minProperties",
    "pattern",
    "required",
)
_DROPPED = ("title", "additionalProperties", "properties", "$defs")


def structural(model: type[BaseModel]) -> Schema:
    """Return the structural schema of `model`.

    Raises:
        ValueError: the model uses something that a CRD cannot express.
    """
    schema = model.model_json_schema(by_alias=True)
    return _converted(schema, schema.get("$defs", {}), model.__name__)


def _converted(schema: Schema, defs: dict[str, Schema], where: str) -> Schema:
    schema = _inlined(schema, defs, where)
    result = {key: schema[key] for key in _KEPT if schema.get(key) is not None}
    for key, value in schema.items():
        if key.startswith("x-kubernetes-"):
            result[key] = value
        elif key not in _KEPT and key not in _DROPPED and not _int_or_string(schema, key):
            raise ValueError(f"{where}: a CRD cannot express {key!r}")
    if _int_or_string(schema, "anyOf"):
        result["anyOf"] = schema["anyOf"]
    if "description" in result:
        result["description"] = " ".join(result["description"].split())
    if "items" in schema:
        result["items"] = _converted(schema["items"], defs, f"{where}[]")
    if "properties" in schema:
        result["properties"] = {
            name: _property(value, defs, f"{where}.{name}")
            for name, value in schema["properties"].items()
        }
    elif isinstance(schema.get("additionalProperties"), dict):
        values = schema["additionalProperties"]
        result["additionalProperties"] = _converted(values, defs, f"{where}.*")
    return result


def _property(schema: Schema, defs: dict[str, Schema], where: str) -> Schema:
    """Return a property; an object of defaults gets `default: {}` so that they fill in."""
    result = _converted(schema, defs, where)
    if "properties" in result and "default" in result:
        result["default"] = {}
    if facts := _facts(result):
        # kubectl explain prints neither defaults nor bounds, only the description.
        result["description"] = f"{result.get('description', '')} {facts}".strip()
    return result


def _facts(schema: Schema) -> str:
    """Return default and bounds of a property in words."""
    default, least, most = (schema.get(key) for key in ("default", "minimum", "maximum"))
    words = [] if default in (None, {}, []) else [f"Default: {default}."]
    if least is not None and most is not None:
        words.append(f"Range: {least} to {most}.")
    elif least is not None:
        words.append(f"At least {least}.")
    return " ".join(words)


def _int_or_string(schema: Schema, key: str) -> bool:
    return key == "anyOf" and bool(schema.get("x-kubernetes-int-or-string"))


def _inlined(schema: Schema, defs: dict[str, Schema], where: str) -> Schema:
    """Return `schema` with its reference replaced and its `null` alternative removed."""
    if "anyOf" in schema and not _int_or_string(schema, "anyOf"):
        options = [option for option in schema["anyOf"] if option != {"type": "null"}]
        if len(options) != 1:
            raise ValueError(f"{where}: a CRD cannot express a union")
        rest = {key: value for key, value in schema.items() if key != "anyOf"}
        return _inlined({**options[0], **rest}, defs, where)
    if "$ref" in schema:
        rest = {key: value for key, value in schema.items() if key != "$ref"}
        target = defs[schema["$ref"].removeprefix("#/$defs/")]
        return _inlined({**target, **rest}, defs, where)
    return schema

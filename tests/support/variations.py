"""Changes every field of a model in turn, found by walking its schema."""

import re
from collections.abc import Iterator
from typing import Any

from docparser_api.schema import Schema, structural
from pydantic import BaseModel, ValidationError

_TEXTS = (
    "b",
    "b/c",
    "b:2",
    "7",
    "b-2",
    "https://b",
    "/bc",
    "b" * 64,
    "10.0.0.0/8",
    "s3://b",
    "s3://c",
    "0 8 * * *",
    "0 9 * * *",
)


def variations(model: type[BaseModel], base: dict[str, Any]) -> Iterator[tuple[str, BaseModel]]:
    """Yield the path of each leaf of `model`, and `base` with another value there."""
    schema = structural(model)
    for path in _leaves(schema, ()):
        yield ".".join(path), _changed(model, schema, base, path)


def _leaves(schema: Schema, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    if "properties" in schema:
        for name, value in schema["properties"].items():
            yield from _leaves(value, (*path, name))
    elif "items" in schema:
        yield from _leaves(schema["items"], (*path, "[]"))
    elif "additionalProperties" in schema:
        yield from _leaves(schema["additionalProperties"], (*path, "{}"))
    else:
        yield path


def _changed(
    model: type[BaseModel], schema: Schema, base: dict[str, Any], path: tuple[str, ...]
) -> BaseModel:
    """Return the first valid model that differs from `base` at `path`."""
    before = model.model_validate(base)
    for choice in range(len(_TEXTS)):
        try:
            after = model.model_validate(_put(schema, base, path, choice))
        except ValidationError:
            continue
        if after != before:
            return after
    raise AssertionError(f"no other value found for {'.'.join(path)}")


def _put(schema: Schema, value: Any, path: tuple[str, ...], choice: int) -> Any:
    """Return `value` with something else at `path`, and with whatever must be beside it."""
    if not path:
        return _other(schema, choice)
    step, rest = path[0], path[1:]
    if step == "[]":
        return [_put(schema["items"], {}, rest, choice)]
    if step == "{}":
        return {"b": _put(schema["additionalProperties"], {}, rest, choice)}
    found = dict(value) if isinstance(value, dict) else {}
    for name in schema.get("required", []):
        found.setdefault(name, _required(schema["properties"][name], choice))
    found[step] = _put(schema["properties"][step], found.get(step), rest, choice)
    return found


def _required(schema: Schema, choice: int) -> Any:
    if "properties" in schema:
        names = schema.get("required", [])
        return {name: _required(schema["properties"][name], choice) for name in names}
    if "items" in schema:
        return [_required(schema["items"], choice)]
    return _other(schema, choice)


def _other(schema: Schema, choice: int) -> Any:
    """Return a value of a leaf that is not its default."""
    if "enum" in schema:
        others = [value for value in schema["enum"] if value != schema.get("default")]
        return others[choice % len(others)]
    if schema.get("type") == "integer":
        low = schema.get("minimum", 0)
        return (low, low + 1, schema.get("maximum"))[choice % 3]
    if schema.get("type") == "boolean":
        return not schema.get("default", False)
    if schema.get("type") == "number":
        return schema.get("minimum", 0) + 0.5 / (choice + 1)
    fitting = [text for text in _TEXTS if _fits(schema, text)]
    return fitting[choice % len(fitting)]


def _fits(schema: Schema, text: str) -> bool:
    length = schema.get("minLength", 0) <= len(text) <= schema.get("maxLength", len(text))
    return length and re.search(schema.get("pattern", ""), text) is not None

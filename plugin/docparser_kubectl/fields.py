"""Objects as fields, one dotted path each, and how two of them differ. Pure."""

import json
from dataclasses import dataclass
from typing import Any

from docparser_api.base import ApiModel
from docparser_operator.kinds import Manifest
from pydantic import ValidationError
from rich.text import Text


@dataclass(frozen=True)
class Change:
    """One field that differs; None where it is absent. Values are JSON."""

    path: str
    old: str | None
    new: str | None


def complete(model: type[ApiModel], content: Manifest) -> Manifest:
    """Return `content` with its defaults, where this program can read it; else as it is."""
    try:
        parsed = model.model_validate(content)
    except ValidationError:
        return content
    return parsed.model_dump(by_alias=True, exclude_none=True, mode="json")


def changes(old: Manifest, new: Manifest) -> list[Change]:
    """Return the fields that differ, in the order of their paths."""
    before, after = flat(old), flat(new)
    return [
        Change(path, before.get(path), after.get(path))
        for path in sorted({*before, *after})
        if before.get(path) != after.get(path)
    ]


def flat(value: Any, path: str = "") -> dict[str, str]:
    """Return the leaves of `value` by path; members of a list go by their name, if they have one.

    So an environment variable that is put in front of others is one change.
    """
    if isinstance(value, dict) and value:
        dot = "." if path else ""
        parts = ((f"{path}{dot}{key}", item) for key, item in value.items())
    elif isinstance(value, list) and value:
        parts = ((f"{path}[{_key(item, i)}]", item) for i, item in enumerate(value))
    else:
        return {path: json.dumps(value, ensure_ascii=False)}
    return {leaf: text for at, item in parts for leaf, text in flat(item, at).items()}


def render(found: list[Change]) -> Text:
    """Return the changes as the lines of a diff."""
    text = Text()
    for change in found:
        if change.old is not None:
            text.append(f"- {change.path}: {change.old}\n", style="red")
        if change.new is not None:
            text.append(f"+ {change.path}: {change.new}\n", style="green")
    text.rstrip()
    return text


def _key(item: Any, index: int) -> str:
    return str(item["name"]) if isinstance(item, dict) and "name" in item else str(index)

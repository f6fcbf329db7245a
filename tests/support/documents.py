"""The project's documents, taken apart for the tests that hold them against the code."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

REPOSITORY = Path(__file__).parents[2]
DOCUMENTS = sorted(
    [
        *REPOSITORY.glob("*.md"),
        *REPOSITORY.glob("docs/**/*.md"),
        *REPOSITORY.glob("examples/**/README.md"),
    ]
)
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_SPAN = re.compile(r"`([^`\n]+)`")


def blocks(path: Path, *languages: str) -> list[str]:
    """Return the code blocks of a document that are marked as one of `languages`."""
    found = _BLOCK.findall(path.read_text())
    return [text for language, text in found if language in languages]


def spans(path: Path) -> list[str]:
    """Return what stands between single backticks."""
    return _SPAN.findall(_BLOCK.sub("", path.read_text()))


def commands(path: Path) -> Iterator[str]:
    """Yield what a reader may type: lines of blocks, remarks cut off, and what stands in text."""
    for block in blocks(path, "console", "sh"):
        for line in block.splitlines():
            yield line.removeprefix("$ ").partition(" #")[0].strip()
    yield from spans(path)


def objects() -> list[tuple[str, dict[str, Any]]]:
    """Return all objects of YAML blocks, each with the name of its document and its place there."""
    return [
        (f"{path.name}-{index}", body)
        for path in DOCUMENTS
        for index, block in enumerate(blocks(path, "yaml"))
        for body in yaml.safe_load_all(block)
    ]


def schema() -> dict[str, Any]:
    """Return the schema of a DocParserDeployment in the CustomResourceDefinition."""
    crd = yaml.safe_load((REPOSITORY / "crds/docparserdeployments.yaml").read_text())
    found: dict[str, Any] = crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    return found


def has_field(path: str, root: dict[str, Any]) -> bool:
    """Return whether the schema `root` has the field `path`, such as `spec.rollout.steps`."""
    found = root
    for part in path.split("."):
        while "items" in found:
            found = found["items"]
        if part not in found.get("properties", {}):
            return False
        found = found["properties"][part]
    return True


def field_names(root: dict[str, Any]) -> set[str]:
    """Return the names of all fields of the schema `root`, at any depth."""
    below = root.get("properties", {})
    inner = [*below.values(), *([root["items"]] if "items" in root else [])]
    return {*below}.union(*(field_names(value) for value in inner))

"""The file that a user wants to apply."""

import sys
from pathlib import Path
from typing import Any

import yaml
from docparser_api import names
from docparser_operator.kinds import Manifest

from docparser_kubectl.errors import Failure


def read(path: str) -> str:
    """Return the text of a file; `-` is standard input.

    Raises:
        Failure: it cannot be read.
    """
    if path == "-":
        return sys.stdin.read()
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Failure(f"{path} cannot be read: {error}") from error


def find(text: str, path: str, name: str | None) -> Manifest:
    """Return the DocParserDeployment in `text`, by name where there are several.

    Raises:
        Failure: there is none, or more than one is meant.
    """
    try:
        documents: list[Any] = list(yaml.safe_load_all(text))
    except yaml.YAMLError as error:
        raise Failure(f"{path} is not YAML: {error}") from error
    found = [
        document
        for document in documents
        if isinstance(document, dict) and document.get("kind") == names.KIND
    ]
    found = [d for d in found if name is None or _name(d) == name]
    if len(found) == 1 and _name(found[0]):
        return found[0]
    if not found:
        which = f" {name}" if name else ""
        raise Failure(f"{path} holds no {names.KIND}{which} (apiVersion {names.API_VERSION})")
    if len(found) == 1:
        raise Failure(f"the {names.KIND} in {path} has no metadata.name")
    all_names = ", ".join(str(_name(d)) for d in found)
    raise Failure(f"{path} holds several: {all_names}; name the one that is meant")


def _name(document: Manifest) -> str | None:
    metadata = document.get("metadata")
    return metadata.get("name") if isinstance(metadata, dict) else None

"""Pods, parsed for the decisions."""

from dataclasses import dataclass
from typing import Any

from docparser_api import names

from docparser_operator.kinds import Manifest


@dataclass(frozen=True)
class Pod:
    """A pod of one revision that has not ended.

    Attributes:
        deleting: whether it is shutting down; it still holds its GPU then.
        ready: whether it receives requests.
        manifest: the object, for the words of a failure.
    """

    name: str
    revision: str
    deleting: bool
    ready: bool
    manifest: Manifest


def pod_of(manifest: Manifest) -> Pod:
    """Return what matters of a pod."""
    conditions: list[dict[str, Any]] = manifest.get("status", {}).get("conditions", [])
    return Pod(
        name=manifest["metadata"]["name"],
        # Empty when the label was removed by hand.
        revision=str(manifest["metadata"].get("labels", {}).get(names.LABEL_REVISION, "")),
        deleting="deletionTimestamp" in manifest["metadata"],
        ready=any(c["type"] == "Ready" and c["status"] == "True" for c in conditions),
        manifest=manifest,
    )

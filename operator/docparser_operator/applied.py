"""Remembers what was applied, so that nothing is applied twice.

Server-side apply of an unchanged manifest changes nothing, but it is a request
and a line in the audit log. The memory pairs a manifest with the object that
came of it; a change on either side, such as an edit by hand, ends the match.
It is lost on a restart, which costs one request per object.
"""

import hashlib
import json
from typing import Any

from docparser_operator.kinds import Manifest, Ref

_CONTROLLERS_OWN = "deployment.kubernetes.io/"


class AppliedObjects:
    """Pairs of applied manifest and resulting object, by reference."""

    def __init__(self) -> None:
        self._pairs: dict[Ref, tuple[str, str, str]] = {}

    def holds(self, ref: Ref, manifest: Manifest, live: Manifest) -> bool:
        """Return whether applying `manifest` to `live` is known to change nothing."""
        if (known := self._pairs.get(ref)) is None or known[0] != _digest(manifest):
            return False
        return known[1] == _version(live) or known[2] == _digest(_settings(live))

    def record(self, ref: Ref, manifest: Manifest, live: Manifest) -> None:
        """Remember that `live` is what came of applying `manifest`."""
        self._pairs[ref] = (_digest(manifest), _version(live), _digest(_settings(live)))

    def forget(self, ref: Ref) -> None:
        """Drop the memory of an object that is gone."""
        self._pairs.pop(ref, None)


def _version(live: Manifest) -> str:
    return str(live["metadata"]["resourceVersion"])


def _settings(live: Manifest) -> Manifest:
    """Return what people and operators set on `live`, without what controllers report."""
    metadata: dict[str, Any] = live["metadata"]
    annotations = metadata.get("annotations", {})
    rest = {k: v for k, v in live.items() if k not in {"metadata", "status"}}
    return {
        **rest,
        "labels": metadata.get("labels", {}),
        "owners": metadata.get("ownerReferences", []),
        "uid": metadata["uid"],
        "annotations": {k: v for k, v in annotations.items() if not k.startswith(_CONTROLLERS_OWN)},
    }


def _digest(value: Manifest) -> str:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()

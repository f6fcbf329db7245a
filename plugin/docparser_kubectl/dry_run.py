"""How a file is tried out: as the tool that applied the object would apply it now. Pure.

A file that no longer names a field removes it only for its own tool, so the
same file means different things for different tools.
"""

import json
from dataclasses import dataclass
from typing import Any, Final

from docparser_operator.kinds import Manifest

LAST_APPLIED: Final = "kubectl.kubernetes.io/last-applied-configuration"
KUBECTL: Final = "kubectl"
"""Field manager of `kubectl apply --server-side`."""


@dataclass(frozen=True)
class Create:
    """The object does not exist."""


@dataclass(frozen=True)
class Merge:
    """What `kubectl apply` would send."""

    patch: Manifest


@dataclass(frozen=True)
class Apply:
    """A server-side apply by `manager`."""

    manager: str


def trial(live: Manifest | None, manifest: Manifest) -> Create | Merge | Apply:
    """Return how `manifest` is to be tried on `live`."""
    if live is None:
        return Create()
    last = live["metadata"].get("annotations", {}).get(LAST_APPLIED)
    managers = [
        field["manager"]
        for field in live["metadata"].get("managedFields", [])
        if field.get("operation") == "Apply" and "f:spec" in field.get("fieldsV1", {})
    ]
    if last is not None and not managers:
        return Merge(three_way(json.loads(last), manifest))
    return Apply(managers[0] if len(managers) == 1 else KUBECTL)


def three_way(last: Manifest, new: Manifest) -> Manifest:
    """Return the merge patch to `new` that also removes what only `last` names."""
    patch: dict[str, Any] = {key: None for key in last if key not in new}
    for key, value in new.items():
        before = last.get(key)
        both = isinstance(value, dict) and isinstance(before, dict)
        patch[key] = three_way(before or {}, value) if both else value
    return patch

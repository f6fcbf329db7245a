"""Which fields the cluster's schema lacks: the API server would drop them without a word. Pure."""

from typing import Final

from docparser_operator.kinds import Kind, Manifest

SHOWN_FIELDS: Final = 10
HINT: Final = (
    "upgrade the CustomResourceDefinition first: `kubectl apply --server-side --force-conflicts -f "
    "crds/docparserdeployments.yaml`, or the Helm chart with crds.enabled"
)

_PRESERVES: Final = "x-kubernetes-preserve-unknown-fields"
_KINDS: Final = "x-kubernetes-group-version-kind"


def served_schema(document: Manifest, kind: Kind) -> Manifest | None:
    """Return the schema of `kind` in an OpenAPI 3 document; None where it is not described."""
    wanted = {"group": kind.group, "version": kind.version, "kind": kind.kind}
    for schema in document.get("components", {}).get("schemas", {}).values():
        if wanted in schema.get(_KINDS, []):
            found: Manifest = schema
            return found
    return None


def lost_fields(known: Manifest, served: Manifest, path: str = "") -> list[str]:
    """Return the fields of the schema `known` that an object loses under the schema `served`.

    Items of lists are marked as in `spec.rollout.steps[].pause`, values of maps as in `labels.*`.
    """
    if served.get(_PRESERVES):
        return []
    found = []
    for name, below in known.get("properties", {}).items():
        place = f"{path}.{name}".removeprefix(".")
        if name in served.get("properties", {}):
            found += lost_fields(below, served["properties"][name], place)
        else:
            found.append(place)
    if "items" in known:
        found += lost_fields(known["items"], served.get("items", {}), f"{path}[]")
    if "additionalProperties" in known:
        values = served.get("additionalProperties")
        if not values:
            found.append(f"{path}.*")
        elif isinstance(values, dict):
            found += lost_fields(known["additionalProperties"], values, f"{path}.*")
    return found


def complaint(lost: list[str]) -> str:
    """Return what to tell people about fields that are lost, and what to do."""
    shown = ", ".join(lost[:SHOWN_FIELDS])
    more = f" and {len(lost) - SHOWN_FIELDS} more" if len(lost) > SHOWN_FIELDS else ""
    return f"the cluster's schema lacks {shown}{more}; {HINT}"

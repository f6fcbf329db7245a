"""The weights of an HTTPRoute: nothing else of it is touched. Pure."""

import copy
from typing import Any

from docparser_operator.kinds import Manifest


class RouteUnusableError(Exception):
    """The route cannot split requests; the message says what to change."""


def with_weight(route: Manifest, stable: str, canary: str, weight: int | None) -> Manifest:
    """Return `route` with `weight` percent of what goes to Service `stable` going to `canary`.

    Args:
        route: the HTTPRoute.
        stable: name of the Service that the user's rules refer to.
        canary: name of the Service of the new revision.
        weight: share of the new revision in percent; None takes its backendRef out again.

    Raises:
        RouteUnusableError: no rule refers to `stable`, or one does it beside other backends.
    """
    result = copy.deepcopy(route)
    name = route["metadata"]["name"]
    rules = [r for r in result.get("spec", {}).get("rules", []) if _index(r, stable) is not None]
    if not rules:
        raise RouteUnusableError(f"HTTPRoute {name} has no backendRef to the Service {stable}")
    for rule in rules:
        refs = [ref for ref in rule["backendRefs"] if not _is_service(ref, canary)]
        if len(refs) > 1:
            words = f"HTTPRoute {name}: the rule with the Service {stable} has other backendRefs"
            raise RouteUnusableError(f"{words}; give them a rule of their own")
        rule["backendRefs"] = _split(refs[0], canary, weight)
    return result


def _split(ours: dict[str, Any], canary: str, weight: int | None) -> list[dict[str, Any]]:
    if weight is None:
        return [ours | {"weight": 1}]
    return [ours | {"weight": 100 - weight}, ours | {"name": canary, "weight": weight}]


def _index(rule: dict[str, Any], name: str) -> int | None:
    refs = rule.get("backendRefs", [])
    return next((i for i, ref in enumerate(refs) if _is_service(ref, name)), None)


def _is_service(ref: dict[str, Any], name: str) -> bool:
    """Return whether `ref` refers to the Service `name` of the route's own namespace."""
    kind = (ref.get("group", ""), ref.get("kind", "Service"))
    return kind == ("", "Service") and ref.get("name") == name and "namespace" not in ref

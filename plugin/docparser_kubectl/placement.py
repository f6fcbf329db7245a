"""Whether a node may run a pod at all: labels, affinity to nodes, taints. Pure."""

from typing import Any

from docparser_operator.kinds import Manifest

_REPELLING = {"NoSchedule", "NoExecute"}


def obstacle(node: Manifest, pod_spec: Manifest) -> str | None:
    """Return why the scheduler would not look at `node`; None where it would."""
    labels = node["metadata"].get("labels", {})
    if node.get("spec", {}).get("unschedulable"):
        return "is cordoned"
    for key, value in (pod_spec.get("nodeSelector") or {}).items():
        if labels.get(key) != value:
            return f"lacks the label {key}={value}"
    affinity = (pod_spec.get("affinity") or {}).get("nodeAffinity") or {}
    required = affinity.get("requiredDuringSchedulingIgnoredDuringExecution")
    if required and not any(_meets(term, node) for term in required["nodeSelectorTerms"]):
        return "does not meet the node affinity"
    tolerations = pod_spec.get("tolerations") or []
    for taint in node.get("spec", {}).get("taints") or []:
        if taint["effect"] in _REPELLING and not any(_tolerates(t, taint) for t in tolerations):
            return f"has the taint {taint['key']}:{taint['effect']}"
    return None


def _meets(term: Manifest, node: Manifest) -> bool:
    labels = node["metadata"].get("labels", {})
    fields = {"metadata.name": node["metadata"]["name"]}
    expressions = term.get("matchExpressions") or []
    names = term.get("matchFields") or []
    if not expressions and not names:
        return False  # an empty term matches no node
    return all(_holds(e, labels) for e in expressions) and all(_holds(e, fields) for e in names)


def _holds(expression: dict[str, Any], values: dict[str, str]) -> bool:
    """Return whether one requirement on a label holds."""
    wanted = expression.get("values") or []
    value = values.get(expression["key"])
    match expression["operator"]:
        case "In":
            holds = value in wanted
        case "NotIn":
            holds = value not in wanted
        case "Exists":
            holds = value is not None
        case "DoesNotExist":
            holds = value is None
        case "Gt":
            holds = _is_number(value) and int(value or 0) > int(wanted[0])
        case _:
            holds = _is_number(value) and int(value or 0) < int(wanted[0])
    return holds


def _is_number(value: str | None) -> bool:
    return value is not None and value.lstrip("-").isdecimal()


def _tolerates(toleration: dict[str, Any], taint: dict[str, Any]) -> bool:
    effect, key = toleration.get("effect"), toleration.get("key")
    if effect and effect != taint["effect"]:
        return False
    if key and key != taint["key"]:
        return False
    if toleration.get("operator", "Equal") == "Exists":
        return True
    return bool(key) and toleration.get("value", "") == taint.get("value", "")

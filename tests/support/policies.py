"""What NetworkPolicies let through, by the rules of the Kubernetes documentation."""

from dataclasses import dataclass, field
from ipaddress import ip_address, ip_network

from docparser_operator.kinds import Manifest


@dataclass(frozen=True)
class Place:
    """A pod, or an address outside of the cluster."""

    labels: dict[str, str] = field(default_factory=dict)
    namespace: str = "default"
    address: str = ""


def of_template(template: Manifest) -> Place:
    """Return the place of pods that a template makes."""
    return Place(template["metadata"]["labels"])


def selecting(policies: list[Manifest], pod: Place) -> list[str]:
    """Return the names of the policies that concern `pod`."""
    return [
        policy["metadata"]["name"]
        for policy in policies
        if policy["metadata"]["namespace"] == pod.namespace
        and _selects(policy["spec"]["podSelector"], pod.labels)
    ]


def passes(
    policies: list[Manifest], source: Place, target: Place, port: int, protocol: str = "TCP"
) -> bool:
    """Return whether `source` reaches `target`: it may call, and the other may be called."""
    leaves = _side(policies, source, target, "egress", "to", (port, protocol))
    return leaves and _side(policies, target, source, "ingress", "from", (port, protocol))


def _side(
    policies: list[Manifest],
    pod: Place,
    other: Place,
    direction: str,
    peers: str,
    port: tuple[int, str],
) -> bool:
    mine = selecting(policies, pod)
    concerned = [p for p in policies if p["metadata"]["name"] in mine]
    if pod.address or not concerned:
        return True
    return any(
        _has_port(rule, port) and (not rule.get(peers) or _is_any(rule[peers], pod, other))
        for policy in concerned
        for rule in policy["spec"][direction]
    )


def _has_port(rule: Manifest, port: tuple[int, str]) -> bool:
    return not rule.get("ports") or any(
        wanted["protocol"] == port[1]
        and wanted["port"] <= port[0] <= wanted.get("endPort", wanted["port"])
        for wanted in rule["ports"]
    )


def _is_any(peers: list[Manifest], pod: Place, other: Place) -> bool:
    return any(_is(peer, pod, other) for peer in peers)


def _is(peer: Manifest, pod: Place, other: Place) -> bool:
    if "ipBlock" in peer:
        block = peer["ipBlock"]
        inside = bool(other.address) and ip_address(other.address) in ip_network(block["cidr"])
        return inside and not any(
            ip_address(other.address) in ip_network(left_out)
            for left_out in block.get("except", [])
        )
    if other.address:
        return False
    home = {"kubernetes.io/metadata.name": other.namespace}
    near = other.namespace == pod.namespace
    there = _selects(peer["namespaceSelector"], home) if "namespaceSelector" in peer else near
    return there and _selects(peer.get("podSelector", {}), other.labels)


def _selects(selector: Manifest, labels: dict[str, str]) -> bool:
    equal = selector.get("matchLabels", {}).items() <= labels.items()
    return equal and all(_holds(e, labels) for e in selector.get("matchExpressions", []))


def _holds(expression: Manifest, labels: dict[str, str]) -> bool:
    value = labels.get(expression["key"])
    return {
        "In": value in expression.get("values", []),
        "NotIn": value not in expression.get("values", []),
        "Exists": value is not None,
        "DoesNotExist": value is None,
    }[expression["operator"]]

"""NetworkPolicies: one for each sort of pod, which holds all that this sort may.

They select by what is common to all revisions, so that a canary is let in and shut off like the
revision that serves.
"""

from docparser_api import names
from docparser_api.deployment import DocParserDeployment
from docparser_api.network import EgressRule, NetworkPolicySpec, Peer

from docparser_operator.desired.gateways import PURPOSE, gateway_selector
from docparser_operator.desired.helper_job import GOLDEN
from docparser_operator.desired.metadata import metadata, pod_selector
from docparser_operator.desired.pod import COMPONENTS
from docparser_operator.kinds import Manifest

Rules = list[Manifest]

SUFFIX_WORKER = "-worker"
SUFFIX_GOLDEN = "-golden"
SUFFIX_OFFLINE = "-offline"
SUFFIXES = ("", SUFFIX_WORKER, names.SUFFIX_GATEWAY, SUFFIX_GOLDEN, SUFFIX_OFFLINE)
"""How the names of the policies end."""

_SERVING: Rules = [{"port": names.PORT, "protocol": "TCP"}]
_DNS: Manifest = {"ports": [{"port": 53, "protocol": kind} for kind in ("UDP", "TCP")]}


def network_policies(parser: DocParserDeployment, operator: str | None) -> list[Manifest]:
    """Return the NetworkPolicies of all pods; none where spec asks for none.

    Args:
        parser: the object.
        operator: namespace of the operator, which measures pods; None where it is not known.
    """
    wanted = parser.spec.network_policy
    if wanted is None:
        return []
    measuring = [_operator(operator), *_peers(wanted.metrics_from or [])]
    clients = _clients(wanted)
    egress = [_DNS, *(_egress(rule) for rule in wanted.egress or [])]
    golden = {"podSelector": {"matchLabels": _helper(parser, GOLDEN)}}
    engines = pod_selector(parser.metadata, None)
    to_engines = {"to": [{"podSelector": {"matchLabels": engines}}], "ports": _SERVING}
    return [
        _policy(parser, "", _direct(engines), [*clients, golden, *measuring], egress),
        _policy(parser, SUFFIX_WORKER, _workers(engines), measuring, egress),
        _policy(parser, names.SUFFIX_GATEWAY, _gateways(parser), [*clients, *measuring], egress),
        _policy(
            parser, SUFFIX_GOLDEN, {"matchLabels": _helper(parser, GOLDEN)}, [], [_DNS, to_engines]
        ),
        _policy(parser, SUFFIX_OFFLINE, _offline(parser), [], []),
    ]


def _policy(
    parser: DocParserDeployment, suffix: str, pods: Manifest, peers: Rules, egress: Rules
) -> Manifest:
    """Return a policy by which `pods` take calls of `peers` and make those of `egress`."""
    # A rule without peers would let everyone in.
    ingress = [{"from": peers, "ports": _SERVING}] if peers else []
    return {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "metadata": metadata(parser.metadata, parser.metadata.name + suffix),
        "spec": {
            "podSelector": pods,
            "policyTypes": ["Ingress", "Egress"],
            "ingress": ingress,
            "egress": egress,
        },
    }


def _direct(engines: dict[str, str]) -> Manifest:
    # All that are no workers, so that no pod with an engine is without a policy.
    rest = {"key": names.LABEL_COMPONENT, "operator": "NotIn", "values": [COMPONENTS["Queue"]]}
    return {"matchLabels": engines, "matchExpressions": [rest]}


def _workers(engines: dict[str, str]) -> Manifest:
    return {"matchLabels": {**engines, names.LABEL_COMPONENT: COMPONENTS["Queue"]}}


def _gateways(parser: DocParserDeployment) -> Manifest:
    return {"matchLabels": gateway_selector(parser.metadata)}


def _offline(parser: DocParserDeployment) -> Manifest:
    """Return what selects the Jobs that read what is mounted, and need no network."""
    rest = {"key": names.LABEL_PURPOSE, "operator": "NotIn", "values": [GOLDEN, PURPOSE]}
    helpers = {names.LABEL_HELPER_OF: parser.metadata.name}
    return {"matchLabels": helpers, "matchExpressions": [rest]}


def _helper(parser: DocParserDeployment, purpose: str) -> dict[str, str]:
    return {names.LABEL_HELPER_OF: parser.metadata.name, names.LABEL_PURPOSE: purpose}


def _clients(wanted: NetworkPolicySpec) -> Rules:
    return [{"podSelector": {}}] if wanted.allow_from is None else _peers(wanted.allow_from)


def _operator(namespace: str | None) -> Manifest:
    labels = {"matchLabels": {"kubernetes.io/metadata.name": namespace}} if namespace else {}
    operators = {"matchLabels": {names.LABEL_APP: names.MANAGER}}
    return {"namespaceSelector": labels, "podSelector": operators}


def _egress(rule: EgressRule) -> Manifest:
    ports = [port.model_dump(by_alias=True, exclude_none=True) for port in rule.ports]
    return {"to": _peers(rule.to), "ports": ports}


def _peers(peers: list[Peer]) -> Rules:
    return [peer.model_dump(by_alias=True, exclude_none=True) for peer in peers]

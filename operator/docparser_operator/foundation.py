"""What stands whatever a rollout does: account, disruption budget, NetworkPolicies. Pure."""

from docparser_api.deployment import DocParserDeployment

from docparser_operator import kinds
from docparser_operator.desired.account import service_account
from docparser_operator.desired.disruption import disruption_budget
from docparser_operator.desired.network import network_policies
from docparser_operator.kinds import Manifest, Ref, ref_of
from docparser_operator.observed import Observed
from docparser_operator.surroundings import Surroundings


def foundation(parser: DocParserDeployment, around: Surroundings) -> list[Manifest]:
    """Return what is there before the first pod is."""
    return [
        service_account(parser.metadata),
        disruption_budget(parser),
        *network_policies(parser, around.operator_namespace),
    ]


def superfluous_policies(parser: DocParserDeployment, observed: Observed) -> tuple[Ref, ...]:
    """Return the NetworkPolicies that spec does not ask for any more."""
    if parser.spec.network_policy is not None:
        return ()
    kind = kinds.NETWORK_POLICY.kind
    return tuple(ref_of(m) for m in observed.manifests if m["kind"] == kind)

"""How many pods are asked for."""

from docparser_api.deployment import DocParserDeployment
from docparser_api.spec import DocParserDeploymentSpec
from docparser_api.status import DocParserDeploymentStatus


def wanted_replicas(parser: DocParserDeployment) -> int:
    """Return what the built-in autoscaler has decided or, without one, what spec.replicas says.

    Before its first decision it is spec.replicas within its bounds. Where another one follows it,
    the pods that it asked for stay until that one counts, which `scaling` decides.
    """
    return wanted_pods(parser.spec, parser.status)


def wanted_pods(spec: DocParserDeploymentSpec, status: DocParserDeploymentStatus) -> int:
    """Return the same for a spec and a status."""
    rules, decided = spec.autoscaling, status.autoscaling
    if rules is None or rules.mode == "None":
        return spec.replicas
    if rules.mode != "Builtin":
        return max(spec.replicas, decided.desired_replicas if decided is not None else 0)
    if decided is None:
        return min(max(spec.replicas, rules.min_replicas), rules.max_replicas)
    return decided.desired_replicas

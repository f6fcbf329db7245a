"""Where requests go: the Services, and the weights of a route. Pure."""

from docparser_api import names
from docparser_api.deployment import DocParserDeployment
from docparser_api.status import Reason

from docparser_operator import kinds
from docparser_operator.desired.service import rollout_services, service
from docparser_operator.gateway import RouteUnusableError, with_weight
from docparser_operator.kinds import Manifest, Ref
from docparser_operator.observed import Observed
from docparser_operator.problems import Problem, problem
from docparser_operator.revisions import Revision
from docparser_operator.situation import Decision
from docparser_operator.topology import entrance, gives_all_to, is_queued


def services(
    parser: DocParserDeployment,
    decision: Decision,
    target: str,
    revisions: dict[str, Revision],
    observed: Observed,
) -> list[Manifest]:
    """Return the Service for everyone and, while a revision is tried out, one for each side.

    Workers have no door, so that there is none for each side of a queue.
    """
    selector = entrance(parser.metadata, decision, revisions, observed)
    result = [service(parser, selector)]
    if decision.stepping and decision.stable is not None and not is_queued(revisions.get(target)):
        result += rollout_services(parser, target, decision.stable)
    return result


def superfluous_services(
    parser: DocParserDeployment, observed: Observed, decision: Decision
) -> list[Ref]:
    """Return the Services for each side, once no revision is tried out any more."""
    if decision.stepping or _holds_weight(decision):
        return []
    sides = {parser.metadata.name + end for end in (names.SUFFIX_CANARY, names.SUFFIX_STABLE)}
    return [
        Ref(kinds.SERVICE, parser.metadata.namespace, manifest["metadata"]["name"])
        for manifest in observed.manifests
        if manifest["kind"] == kinds.SERVICE.kind and manifest["metadata"]["name"] in sides
    ]


def has_moved(parser: DocParserDeployment, observed: Observed, target: str) -> bool:
    """Return whether the Service was already given to `target`, which the status does not tell yet.

    Then the promotion was decided, and only its note was lost.
    """
    rollout = parser.status.rollout
    noted = rollout is not None and rollout.revision == target and rollout.weight == 100  # noqa: PLR2004
    if not noted and gives_all_to(target, observed, parser.metadata):
        return True
    return not noted and any(
        manifest["spec"]["selector"].get(names.LABEL_REVISION) == target
        for manifest in observed.manifests
        if manifest["kind"] == kinds.SERVICE.kind
        and manifest["metadata"]["name"] == parser.metadata.name
    )


def route(
    parser: DocParserDeployment, decision: Decision, present: Manifest | None
) -> list[Manifest]:
    """Return the route with its weights, if it can split requests and is to change."""
    if present is None or route_problem(parser, present) is not None:
        return []
    keeps = decision.stepping or _holds_weight(decision)
    weight = decision.rollout.weight if keeps else None
    name = parser.metadata.name
    wanted = with_weight(present, name, name + names.SUFFIX_CANARY, weight)
    return [] if wanted == present else [wanted]


def route_problem(parser: DocParserDeployment, present: Manifest | None) -> Problem | None:
    """Return why the route that spec names cannot split requests; None if it can, or none is."""
    gateway = parser.spec.service.gateway
    if gateway is None:
        return None
    if present is None:
        words = f"HTTPRoute {gateway.http_route} of this namespace is not there or cannot be read"
        return problem(Reason.GATEWAY_NOT_USABLE, words)
    name = parser.metadata.name
    try:
        with_weight(present, name, name + names.SUFFIX_CANARY, None)
    except RouteUnusableError as error:
        return problem(Reason.GATEWAY_NOT_USABLE, str(error))
    return None


def _holds_weight(decision: Decision) -> bool:
    """Return whether a revision that was given up still has to serve."""
    return decision.rollout.failed_at is not None and decision.rollout.weight > 0

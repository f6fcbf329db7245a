"""The Deployments of a decision, in the order in which they are written. Pure."""

from docparser_api.deployment import DocParserDeployment

from docparser_operator.desired.workload import deployment
from docparser_operator.kinds import Manifest
from docparser_operator.observed import Observed
from docparser_operator.revisions import Revision
from docparser_operator.situation import Decision

Manifests = list[Manifest]


def workloads(
    parser: DocParserDeployment,
    observed: Observed,
    decision: Decision,
    revisions: dict[str, Revision],
) -> tuple[Manifests, Manifests, Manifests]:
    """Return what grows before the Service moves, what shrinks after it, and what comes last.

    A revision that does not serve yet comes last: if the API server refuses it, everything that
    concerns the serving one has been written.
    """
    grow: Manifests = []
    shrink: Manifests = []
    new: Manifests = []
    for name, size in decision.sizes.items():
        present = observed.workloads.get(name)
        manifest = deployment(parser, name, _template(name, observed, revisions), size)
        shrinks = present is not None and size < present.replicas
        group = shrink if shrinks else grow if name == decision.stable else new
        group.append(manifest)
    return grow, shrink, new


def _template(name: str, observed: Observed, revisions: dict[str, Revision]) -> Manifest:
    """Return the pod template of a revision; that of its Deployment where the record was lost."""
    if name in revisions:
        return revisions[name].template
    template: Manifest = observed.workloads[name].manifest["spec"]["template"]
    return template

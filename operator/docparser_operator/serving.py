"""Which revision serves at present, whatever became of the status. Pure."""

from docparser_api.deployment import DocParserDeployment

from docparser_operator.observed import Observed


def serving_revision(
    parser: DocParserDeployment, observed: Observed, but: str | None
) -> str | None:
    """Return the revision that serves; None before any did.

    It is what the status says, unless it was lost or spoilt. Then it is the latest that ever
    served and still has pods. One that serves in part, before any was complete, must not be lost
    either, unless it is `but`, which is coming up.
    """
    return _proven(parser, observed) or _available(observed, but)


def _proven(parser: DocParserDeployment, observed: Observed) -> str | None:
    stable = parser.status.current_revision or ""
    results = {
        name: revision.outcome.result
        for name, revision in observed.revisions.items()
        if revision.outcome is not None
    }
    if stable in observed.workloads and results.get(stable) != "Failed":
        return stable
    proven = [
        revision
        for name, revision in observed.revisions.items()
        if results.get(name) == "Succeeded"
        and name in observed.workloads
        and observed.workloads[name].replicas > 0
    ]
    if proven:
        return max(proven, key=lambda revision: revision.number).hash
    return stable if results.get(stable) == "Succeeded" else None


def _available(observed: Observed, but: str | None) -> str | None:
    serving = [
        revision
        for name, revision in observed.revisions.items()
        if name != but and name in observed.workloads and observed.workloads[name].available
    ]
    return max(serving, key=lambda revision: revision.number).hash if serving else None

"""What to write, in which order, for one DocParserDeployment: a pure function."""

from dataclasses import dataclass, replace
from datetime import datetime

from docparser_api import names
from docparser_api.deployment import DocParserDeployment
from docparser_api.status import Reason

from docparser_operator import kinds
from docparser_operator.clock import timestamp
from docparser_operator.desired.account import service_account
from docparser_operator.desired.disruption import disruption_budget
from docparser_operator.desired.metadata import revision_name
from docparser_operator.desired.service import service
from docparser_operator.desired.workload import deployment
from docparser_operator.kinds import Manifest, Ref
from docparser_operator.observed import Observed
from docparser_operator.problems import Problem, find_problem
from docparser_operator.revisions import (
    Outcome,
    Revision,
    controller_revision,
    is_failed,
    superfluous,
    wanted_revision,
)
from docparser_operator.rollout import Decision, Situation, decide


@dataclass(frozen=True)
class Plan:
    """The writes for one DocParserDeployment, and the decision behind them.

    Attributes:
        apply: manifests in the order in which they are to be applied.
        delete: children that can go, after everything was applied.
        missing: Deployments that are not known although they have pods.
        stable: the revision that serves before any of it.
        decision: the state of the rollout.
        revisions: the revisions that live on, by hash.
        target: the revision that spec asks for.
        problem: what keeps its pods from serving, if anything.
    """

    apply: tuple[Manifest, ...]
    delete: tuple[Ref, ...]
    missing: tuple[Ref, ...]
    stable: str | None
    decision: Decision
    revisions: dict[str, Revision]
    target: Revision
    problem: Problem | None


def make_plan(parser: DocParserDeployment, observed: Observed, now: datetime) -> Plan:
    """Return what to do so that `observed` becomes what `parser` asks for."""
    target = wanted_revision(parser, observed.revisions)
    stable = _stable(parser, observed) or _available(observed, but=target.hash)
    decision = decide(
        Situation(
            replicas=parser.spec.replicas,
            rules=parser.spec.rollout,
            target=target.hash,
            target_failed=is_failed(target, parser),
            stable=stable,
            rollout=parser.status.rollout,
            observed=observed,
            now=now,
        )
    )
    problem = _problem(observed, target.hash, decision.stable)
    known = target
    target = _with_outcome(parser, target, decision, problem, observed, now)
    # A failure is noted before the pods go, a success after the Service has moved.
    first, last = (target, ()) if decision.failed or target == known else (known, (target,))
    revisions = {**observed.revisions, target.hash: target}
    live = {target.hash, *decision.sizes, *({decision.stable} if decision.stable else ())}
    forget = superfluous(revisions, live, parser.spec.revision_history_limit)
    return Plan(
        apply=(
            controller_revision(parser.metadata, first),
            service_account(parser.metadata),
            disruption_budget(parser),
            *_workloads_and_service(parser, observed, decision, revisions),
            *(controller_revision(parser.metadata, revision) for revision in last),
        ),
        delete=_deletions(parser, observed, decision, forget),
        missing=_missing(parser, observed),
        stable=stable,
        decision=decision,
        revisions=revisions,
        target=target,
        problem=problem,
    )


def _stable(parser: DocParserDeployment, observed: Observed) -> str | None:
    """Return the revision that serves: what the status says, unless it was lost or spoilt.

    Then it is the latest that ever served and still has pods.
    """
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


def _available(observed: Observed, but: str) -> str | None:
    """Return a revision that serves in part, before any was ever complete: it must not be lost."""
    serving = [
        revision
        for name, revision in observed.revisions.items()
        if name != but and name in observed.workloads and observed.workloads[name].available
    ]
    return max(serving, key=lambda revision: revision.number).hash if serving else None


def _problem(observed: Observed, target: str, stable: str | None) -> Problem | None:
    """Return the problem of the target's pods or, where it has none, of the stable revision's."""
    for revision in dict.fromkeys((target, stable)):
        pods = [pod for pod in observed.pods if pod.revision == revision]
        workload = observed.workloads.get(revision or "")
        if problem := find_problem(pods, [workload] if workload else []):
            return problem
    return None


def _with_outcome(
    parser: DocParserDeployment,
    target: Revision,
    decision: Decision,
    problem: Problem | None,
    observed: Observed,
    now: datetime,
) -> Revision:
    """Return `target` with the end of its rollout noted, once it has ended."""
    if decision.failed:
        reason = problem.reason if problem else Reason.ROLLOUT_FAILED
        message = problem.message if problem else "no progress within the deadline"
        retry = parser.metadata.annotations.get(names.ANNOTATION_RETRY, "")
        outcome = Outcome("Failed", timestamp(now), reason, message, retry)
        return replace(target, outcome=outcome)
    workload = observed.workloads.get(target.hash)
    proven = decision.stable == target.hash and workload is not None and workload.available > 0
    if proven and (target.outcome is None or target.outcome.result != "Succeeded"):
        return replace(target, outcome=Outcome("Succeeded", timestamp(now)))
    return target


def _workloads_and_service(
    parser: DocParserDeployment,
    observed: Observed,
    decision: Decision,
    revisions: dict[str, Revision],
) -> tuple[Manifest, ...]:
    """Return what grows before the Service moves, the Service, and what shrinks after it.

    A revision that does not serve yet comes last: if the API server refuses it, everything that
    concerns the serving one has been written.
    """
    grow: list[Manifest] = []
    shrink: list[Manifest] = []
    new: list[Manifest] = []
    for name, size in decision.sizes.items():
        present = observed.workloads.get(name)
        manifest = deployment(parser, name, _template(name, observed, revisions), size)
        shrinks = present is not None and size < present.replicas
        group = shrink if shrinks else grow if name == decision.stable else new
        group.append(manifest)
    return (*grow, service(parser, decision.serving), *shrink, *new)


def _template(name: str, observed: Observed, revisions: dict[str, Revision]) -> Manifest:
    """Return the pod template of a revision; that of its Deployment where the record was lost."""
    if name in revisions:
        return revisions[name].template
    template: Manifest = observed.workloads[name].manifest["spec"]["template"]
    return template


def _missing(parser: DocParserDeployment, observed: Observed) -> tuple[Ref, ...]:
    """Return the Deployments to look for: one that has lost its labels is shown by no watch."""
    namespace = parser.metadata.namespace
    unknown = {pod.revision for pod in observed.pods} - {"", *observed.workloads}
    found = sorted(revision_name(parser.metadata, revision) for revision in unknown)
    return tuple(Ref(kinds.DEPLOYMENT, namespace, name) for name in found)


def _deletions(
    parser: DocParserDeployment, observed: Observed, decision: Decision, forget: list[str]
) -> tuple[Ref, ...]:
    """Return the empty Deployments and the forgotten revisions."""
    owner, namespace = parser.metadata, parser.metadata.namespace
    return tuple(
        Ref(kinds.DEPLOYMENT, namespace, observed.workloads[name].manifest["metadata"]["name"])
        for name in decision.delete
    ) + tuple(
        Ref(kinds.CONTROLLER_REVISION, namespace, revision_name(owner, name))
        for name in forget
        if name in observed.revisions
    )

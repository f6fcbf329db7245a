"""What to write, in which order, for one DocParserDeployment: a pure function."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from docparser_api.deployment import DocParserDeployment

from docparser_operator import kinds, topology
from docparser_operator.autoscaling.wanted import wanted_replicas
from docparser_operator.cache import finished_prunes, prune_jobs
from docparser_operator.capacity import fitting_pods, gives_room
from docparser_operator.choice import Choice, choose, comes_back
from docparser_operator.delegation import superfluous_scalers, wanted_scaler
from docparser_operator.deletion_costs import deletion_costs
from docparser_operator.desired.metadata import revision_name
from docparser_operator.foundation import foundation, superfluous_policies
from docparser_operator.kinds import Manifest, Ref
from docparser_operator.observed import Observed
from docparser_operator.outcomes import with_cause, with_outcome
from docparser_operator.problems import Problem, problem_among
from docparser_operator.revisions import Revision, controller_revision, superfluous
from docparser_operator.rollback_check import check_job, finished_checks, previous_revision
from docparser_operator.rollout import decide
from docparser_operator.serving import serving_revision
from docparser_operator.situation import Decision, Situation
from docparser_operator.surroundings import Surroundings
from docparser_operator.traffic import (
    has_moved,
    route,
    route_problem,
    services,
    superfluous_services,
)
from docparser_operator.trial import finished_trials, golden_documents, judgement
from docparser_operator.workloads import workloads


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
        target: the revision that is to serve.
        choice: why it is that one.
        problem: what keeps its pods from serving, if anything.
        around: what else it depends on.
    """

    apply: tuple[Manifest, ...]
    delete: tuple[Ref, ...]
    missing: tuple[Ref, ...]
    stable: str | None
    decision: Decision
    revisions: dict[str, Revision]
    target: Revision
    choice: Choice
    problem: Problem | None
    around: Surroundings

    @property
    def fitting(self) -> int | None:
        """How many more pods of the target find free GPUs; None where that does not matter."""
        return fitting_pods(self.target.template, self.around.capacity)

    @property
    def previous(self) -> Revision | None:
        """The revision that served before the one that serves."""
        return previous_revision(self.revisions, self.decision.stable)


def make_plan(
    parser: DocParserDeployment,
    observed: Observed,
    now: datetime,
    around: Surroundings | None = None,
) -> Plan:
    """Return what to do so that `observed` becomes what `parser` asks for."""
    choice, around = choose(parser, observed.revisions, now), around or Surroundings()
    situation = _situation(parser, observed, choice, around, now)
    decision, target = decide(situation), choice.target
    problem = situation.unsplit or problem_among(observed, target.hash, decision.stable)
    ended = with_outcome(parser, target, decision, problem, observed, now)
    revisions = {**observed.revisions, choice.wanted.hash: choice.wanted, ended.hash: ended}
    forget = _forgotten(parser, decision, revisions, {choice.wanted.hash, ended.hash})
    # A failure is noted before the pods go, a success after the Service has moved.
    first, last = (ended, ()) if decision.failed or ended == target else (target, (ended,))
    return Plan(
        apply=(
            *_records(parser, {choice.wanted.hash: choice.wanted, first.hash: first}.values()),
            *foundation(parser, around),
            *_in_order(parser, observed, decision, revisions, situation),
            *_records(parser, last),
            *check_job(parser, observed, decision, revisions, now),
            *prune_jobs(parser, observed, revisions, forget, around.neighbours),
            *wanted_scaler(parser, observed, around, decision.rollout),
        ),
        delete=(
            *_deletions(parser, observed, decision, revisions, forget),
            *superfluous_services(parser, observed, decision),
            *finished_trials(parser, observed, decision),
            *finished_checks(parser, observed, decision, revisions, now),
        ),
        missing=_missing(parser, observed),
        stable=situation.stable,
        decision=with_cause(decision, ended),
        revisions=revisions,
        target=ended,
        choice=choice,
        problem=problem,
        around=around,
    )


def _forgotten(
    parser: DocParserDeployment,
    decision: Decision,
    revisions: dict[str, Revision],
    asked_for: set[str],
) -> list[str]:
    """Return the revisions that nobody needs any more."""
    live = {decision.stable or "", *decision.sizes, *asked_for}
    return superfluous(revisions, live, parser.spec.revision_history_limit)


def _records(parser: DocParserDeployment, revisions: Iterable[Revision]) -> list[Manifest]:
    return [controller_revision(parser.metadata, revision) for revision in revisions]


def _situation(
    parser: DocParserDeployment,
    observed: Observed,
    choice: Choice,
    around: Surroundings,
    now: datetime,
) -> Situation:
    target = choice.target
    stable = serving_revision(parser, observed, but=target.hash)
    known = observed.revisions
    others = [known[n].template for n in observed.workloads if n in known and n != target.hash]
    return Situation(
        replicas=wanted_replicas(parser),
        rules=parser.spec.rollout,
        target=target.hash,
        target_failed=choice.has_failed(parser),
        stable=stable,
        rollout=parser.status.rollout,
        observed=observed,
        now=now,
        straight=_is_straight(parser, observed, choice, stable),
        exact=parser.spec.service.gateway is not None or topology.is_queued(target),
        route=around.route,
        unsplit=route_problem(parser, around.route),
        fitting=fitting_pods(target.template, around.capacity),
        exchangeable=gives_room(target.template, others, around.capacity),
        analysis=judgement(parser, observed, around.evidence, target.hash, now),
        measured=around.evidence is not None or _was_promoted(parser, observed, target),
        requests=choice.requests,
        remaining=around.load.remaining_at(now) if around.load else {},
        reachable=topology.is_reachable(target, known.get(stable or ""), observed),
    )


def _in_order(
    parser: DocParserDeployment,
    observed: Observed,
    decision: Decision,
    revisions: dict[str, Revision],
    situation: Situation,
) -> tuple[Manifest, ...]:
    """Return what grows, where requests go then, what shrinks after that, and what tries it out."""
    grow, shrink, new = workloads(parser, observed, decision, revisions)
    target = revisions[situation.target]
    return (
        *topology.task_split(parser, decision, revisions),
        *grow,
        *services(parser, decision, target.hash, revisions, observed),
        *route(parser, decision, situation.route),
        *deletion_costs(observed, decision, situation.remaining),
        *shrink,
        *topology.doors(parser, decision, revisions),
        *new,
        *golden_documents(parser, observed, decision, target),
    )


def _is_straight(
    parser: DocParserDeployment, observed: Observed, choice: Choice, stable: str | None
) -> bool:
    """Return whether the target comes back or changes the topology, so that it goes no steps."""
    window = parser.spec.rollout.rollback_window_revisions
    back = comes_back(choice.target, stable, observed.revisions, window)
    moves = topology.differ(choice.target, observed.revisions.get(stable or ""))
    return choice.is_rolled_back or back or moves


def _was_promoted(parser: DocParserDeployment, observed: Observed, target: Revision) -> bool:
    """Return whether the promotion of `target` was decided, and only its note was lost."""
    outcome, rollout = target.outcome, parser.status.rollout
    begun = rollout.started_at if rollout is not None and rollout.revision == target.hash else ""
    noted = outcome is not None and outcome.result == "Succeeded" and outcome.time >= begun
    return bool(begun) and (noted or has_moved(parser, observed, target.hash))


def _missing(parser: DocParserDeployment, observed: Observed) -> tuple[Ref, ...]:
    """Return the Deployments to look for: one that has lost its labels is shown by no watch."""
    namespace = parser.metadata.namespace
    unknown = {pod.revision for pod in observed.pods} - {"", *observed.workloads}
    found = sorted(revision_name(parser.metadata, revision) for revision in unknown)
    return tuple(Ref(kinds.DEPLOYMENT, namespace, name) for name in found)


def _deletions(
    parser: DocParserDeployment,
    observed: Observed,
    decision: Decision,
    revisions: dict[str, Revision],
    forget: list[str],
) -> tuple[Ref, ...]:
    """Return empty Deployments, forgotten revisions, Jobs that are done, and what is of no use."""
    owner, namespace = parser.metadata, parser.metadata.namespace
    return (
        tuple(
            Ref(kinds.DEPLOYMENT, namespace, observed.workloads[name].manifest["metadata"]["name"])
            for name in decision.delete
        )
        + tuple(
            Ref(kinds.CONTROLLER_REVISION, namespace, revision_name(owner, name))
            for name in forget
            if name in observed.revisions
        )
        + tuple(finished_prunes(parser, observed))
        + superfluous_scalers(parser, observed)
        + superfluous_policies(parser, observed)
        + tuple(topology.superfluous_doors(parser, observed, decision, revisions))
    )

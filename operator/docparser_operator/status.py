"""The status of a DocParserDeployment: a pure function of plan, observation and clock."""

from datetime import datetime

from docparser_api.deployment import DocParserDeployment, ObjectMeta
from docparser_api.status import (
    Condition,
    ConditionType,
    DocParserDeploymentStatus,
    Reason,
)

from docparser_operator.autoscaling.wanted import wanted_replicas
from docparser_operator.clock import timestamp
from docparser_operator.desired.metadata import endpoint, pod_selector
from docparser_operator.finding import Finding
from docparser_operator.findings import more_findings
from docparser_operator.kinds import SERVICE
from docparser_operator.observed import Observed, Workload
from docparser_operator.petitions import petitions
from docparser_operator.plan import Plan
from docparser_operator.problems import Problem
from docparser_operator.progress import number_of, progressing, up_to_date
from docparser_operator.topology import closed_door

_TELLING = (
    ConditionType.NAME_CONFLICT,
    ConditionType.DEGRADED,
    ConditionType.PROGRESSING,
    ConditionType.ROLLED_BACK,
)
"""Conditions that are worth a line when they are true, the most urgent first."""


def make_status(
    parser: DocParserDeployment,
    observed: Observed,
    plan: Plan,
    refusal: Problem | None,
    now: datetime,
) -> DocParserDeploymentStatus:
    """Return the status after `plan` was carried out.

    Args:
        parser: the object, with the status as it stands.
        observed: the children before the plan.
        plan: what was written.
        refusal: why the API server did not take all of it, if so.
        now: the time.
    """
    decision, generation = plan.decision, parser.metadata.generation
    # After a refusal the cluster still runs what it ran before.
    stable = plan.stable if refusal else decision.stable
    current = observed.workloads.get(stable or plan.target.hash)
    updated = observed.workloads.get(plan.target.hash)
    progress = progressing(parser, observed, plan, refusal)
    findings = (
        _ready(parser, stable, current, plan.problem, _blocking(refusal, stable, observed, plan)),
        up_to_date(progress, plan),
        progress,
        _degraded(plan, refusal),
        _name_conflict(refusal),
        *more_findings(parser, plan, observed),
    )
    return DocParserDeploymentStatus(
        observed_generation=parser.status.observed_generation if refusal else generation,
        summary=_summary(findings),
        replicas=current.pods if current else 0,
        ready_replicas=current.ready if current else 0,
        available_replicas=current.available if current else 0,
        updated_replicas=updated.pods if updated else 0,
        selector=_selector(parser.metadata, stable or plan.target.hash),
        current_revision=stable,
        current_revision_number=number_of(plan, stable),
        update_revision=plan.choice.wanted.hash,
        update_revision_number=plan.choice.wanted.number,
        endpoint=endpoint(parser),
        rollout=parser.status.rollout if refusal else decision.rollout,
        rollback=parser.status.rollback if refusal else plan.choice.rollback,
        requests=petitions(parser, now),
        autoscaling=parser.status.autoscaling,
        conditions=conditions(parser.status, findings, generation, now),
    )


def invalid_status(
    status: DocParserDeploymentStatus, generation: int, message: str, now: datetime
) -> DocParserDeploymentStatus:
    """Return `status` with the finding that the spec passed the schema but cannot be used.

    What is known of an earlier generation stays, and says so by its observedGeneration.
    """
    finding = Finding(ConditionType.DEGRADED, "True", Reason.INVALID_SPEC, message)
    findings = [finding]
    if all(condition.type != ConditionType.READY for condition in status.conditions):
        findings.insert(0, Finding(ConditionType.READY, "False", Reason.INVALID_SPEC, message))
    found = {c.type: c for c in conditions(status, tuple(findings), generation, now)}
    kept = [found.pop(condition.type, condition) for condition in status.conditions]
    return status.model_copy(
        update={
            "summary": f"{finding.reason}: {message}"[:512],
            "conditions": [*kept, *found.values()],
        }
    )


def conditions(
    old: DocParserDeploymentStatus,
    findings: tuple[Finding, ...],
    generation: int,
    now: datetime,
) -> list[Condition]:
    """Return `findings` as conditions; the transition time moves only with the status."""
    before = {condition.type: condition for condition in old.conditions}
    result = []
    for finding in findings:
        last = before.get(finding.type)
        same = last is not None and last.status == finding.status
        result.append(
            Condition(
                **vars(finding),
                observed_generation=generation,
                last_transition_time=last.last_transition_time
                if last is not None and same
                else timestamp(now),
            )
        )
    return result


def _blocking(
    refusal: Problem | None, stable: str | None, observed: Observed, plan: Plan
) -> Problem | None:
    """Return `refusal` if because of it nothing can serve; else why no request gets in."""
    has_service = any(manifest["kind"] == SERVICE.kind for manifest in observed.manifests)
    if stable is None or not has_service:
        return refusal
    if refusal and refusal.reason == Reason.NAME_CONFLICT:
        return refusal
    return closed_door(plan.revisions.get(stable), observed)


def _ready(
    parser: DocParserDeployment,
    stable: str | None,
    current: Workload | None,
    problem: Problem | None,
    refusal: Problem | None,
) -> Finding:
    rules = parser.spec.autoscaling
    wanted, available = wanted_replicas(parser), current.available if current else 0
    if refusal is not None:
        return Finding(ConditionType.READY, "False", refusal.reason, refusal.message)
    if stable is None:
        words = f"{available} of {wanted} pods of the first revision are available"
        words += f"; {problem.message}" if problem else ""
        return Finding(ConditionType.READY, "False", Reason.NO_REVISION, words)
    if wanted == 0:
        words = "spec.replicas is 0, so nothing serves"
        if rules is not None and rules.mode != "None":
            words = "nothing waits, so no pod runs; the next document starts one"
        if parser.spec.topology == "Queue":
            words = "no worker is asked for; requests wait in the queue"
        return Finding(ConditionType.READY, "False", Reason.SCALED_TO_ZERO, words)
    words = f"{min(available, wanted)} of {wanted} pods are available"
    if available >= wanted:
        return Finding(ConditionType.READY, "True", Reason.AVAILABLE, words)
    return Finding(ConditionType.READY, "False", Reason.INSUFFICIENT_REPLICAS, words)


def _degraded(plan: Plan, refusal: Problem | None) -> Finding:
    kind, outcome = ConditionType.DEGRADED, plan.target.outcome
    problem = refusal or plan.choice.refusal or plan.choice.misread or plan.problem
    if problem is not None:
        return Finding(kind, "True", problem.reason, problem.message)
    if plan.decision.rollout.failed_at is not None and outcome is not None:
        words = f"revision {plan.target.number} failed: {outcome.reason}: {outcome.message}"
        return Finding(kind, "True", Reason.ROLLOUT_FAILED, words)
    return Finding(kind, "False", Reason.HEALTHY, "no pod reports a problem")


def _name_conflict(refusal: Problem | None) -> Finding:
    kind = ConditionType.NAME_CONFLICT
    if refusal is not None and refusal.reason == Reason.NAME_CONFLICT:
        return Finding(kind, "True", Reason.NAME_CONFLICT, refusal.message)
    return Finding(kind, "False", Reason.NO_CONFLICT, "no foreign object is in the way")


def _summary(findings: tuple[Finding, ...]) -> str:
    """Return one line for people: what needs attention, else what is under way, else the rest."""
    found = {finding.type: finding for finding in findings}
    ready = found[ConditionType.READY]
    for kind in _TELLING:
        finding = found[kind]
        if finding.status == "True":
            return f"{finding.reason}: {finding.message}"[:512]
    return f"{ready.reason}: {ready.message}"[:512]


def _selector(owner: ObjectMeta, revision: str) -> str:
    return ",".join(f"{k}={v}" for k, v in pod_selector(owner, revision).items())

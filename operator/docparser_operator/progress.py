"""How far a rollout is, in words. Pure."""

from docparser_api import names
from docparser_api.deployment import DocParserDeployment
from docparser_api.status import ConditionType, Reason

from docparser_operator.autoscaling.wanted import wanted_replicas
from docparser_operator.finding import Finding, Truth
from docparser_operator.observed import Observed
from docparser_operator.plan import Plan
from docparser_operator.problems import Problem


def number_of(plan: Plan, revision: str | None) -> int | None:
    """Return the number of `revision`; None where there is none, or its record was lost."""
    return plan.revisions[revision].number if revision in plan.revisions else None


def progressing(
    parser: DocParserDeployment, observed: Observed, plan: Plan, refusal: Problem | None
) -> Finding:
    """Return whether a rollout is under way, and how far it is."""
    kind, decision, target = ConditionType.PROGRESSING, plan.decision, plan.target
    number = target.number
    if refusal is not None:
        words = f"revision {number} waits: {refusal.message}"
        return Finding(kind, "True", Reason.ROLLING_OUT, words)
    if decision.rollout.failed_at is not None:
        in_use = number_of(plan, decision.stable) or "none"
        words = f"revision {number} was given up; revision in use: {in_use}"
        return Finding(kind, "False", Reason.ROLLOUT_FAILED, words)
    if decision.stable == target.hash:
        if decision.rollout.completed_at is not None:
            return Finding(kind, "False", Reason.ROLLOUT_COMPLETE, f"revision {number} serves")
        left = observed.foreign_pod_count(target.hash)
        words = f"revision {number} serves; {left} older pods have to finish and go"
        return Finding(kind, "True", Reason.RETIRING, words)
    reason, words = _rolling_words(observed, plan, wanted_replicas(parser))
    return Finding(kind, "True", reason, words)


def up_to_date(progress: Finding, plan: Plan) -> Finding:
    """Return whether a rollout of this generation has ended well: what a pipeline waits for."""
    if plan.choice.is_rolled_back:
        words = f"revision {plan.choice.wanted.number} of spec waits until the rollback ends"
        return Finding(ConditionType.UP_TO_DATE, "False", Reason.ROLLED_BACK, words)
    done = progress.reason == Reason.ROLLOUT_COMPLETE
    status: Truth = "True" if done else "False"
    return Finding(ConditionType.UP_TO_DATE, status, progress.reason, progress.message)


def _rolling_words(observed: Observed, plan: Plan, wanted: int) -> tuple[Reason, str]:
    """Return reason and message while a revision comes up."""
    number, waiting = plan.target.number, plan.decision.waiting_for_pods
    if waiting:
        words = f"revision {number} waits until {waiting} older pods are gone"
        return Reason.WAITING_FOR_OLD_PODS, words
    if plan.decision.rollout.pause is not None or plan.decision.stepping:
        return _step_words(observed, plan)
    if wanted == 0:
        words = f"revision {number} has not run yet; it serves once spec.replicas is above 0"
        return Reason.ROLLING_OUT, words
    workload = observed.workloads.get(plan.target.hash)
    available = workload.available if workload else 0
    return Reason.ROLLING_OUT, f"{available} of {wanted} pods of revision {number} are available"


def _step_words(observed: Observed, plan: Plan) -> tuple[Reason, str]:
    """Return reason and message while a revision goes through its steps, or waits for a person."""
    rollout, number = plan.decision.rollout, plan.target.number
    place = f"revision {number} has {rollout.weight} % of the requests"
    if rollout.step_index < rollout.steps:
        place += f", step {rollout.step_index + 1} of {rollout.steps}"
    workload = observed.workloads.get(plan.target.hash)
    available, size = workload.available if workload else 0, plan.decision.sizes[plan.target.hash]
    if rollout.pause is None and available < size:
        return Reason.ROLLING_OUT, f"{place}; {available} of {size} pods are available"
    if rollout.pause is None:
        verdict = rollout.analysis.verdict if rollout.analysis else "Inconclusive"
        return Reason.ANALYSING, f"{place}; found so far: {verdict}"
    promote = f"{names.ANNOTATION_PROMOTE}={number}/{rollout.step_index}"
    waits = {
        "Step": f"it waits for its time, or for the annotation {promote}",
        "Requested": "it waits until the annotation docparser.dev/pause is removed",
        "Inconclusive": f"the analysis could not decide; it waits for the annotation {promote}",
    }
    return Reason.PAUSED, f"{place}; {waits[rollout.pause.reason]}"

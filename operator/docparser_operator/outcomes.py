"""How the rollout of a revision ended, for its record. Pure."""

from dataclasses import replace
from datetime import datetime

from docparser_api import names
from docparser_api.deployment import DocParserDeployment
from docparser_api.status import Reason

from docparser_operator.clock import timestamp
from docparser_operator.observed import Observed
from docparser_operator.problems import Problem
from docparser_operator.revisions import Outcome, Revision
from docparser_operator.situation import Decision


def with_outcome(
    parser: DocParserDeployment,
    target: Revision,
    decision: Decision,
    problem: Problem | None,
    observed: Observed,
    now: datetime,
) -> Revision:
    """Return `target` with the end of its rollout noted, once it has ended."""
    if (failure := decision.failure) is not None:
        reason, message = failure.reason, failure.message
        if reason == Reason.DEADLINE_EXCEEDED and problem is not None:
            # The cause tells more than the deadline.
            reason, message = problem.reason, problem.message
        retry = parser.metadata.annotations.get(names.ANNOTATION_RETRY, "")
        served = target.has_served
        outcome = Outcome("Failed", timestamp(now), reason, message, retry, served)
        return replace(target, outcome=outcome)
    workload = observed.workloads.get(target.hash)
    proven = decision.stable == target.hash and workload is not None and workload.available > 0
    if proven and (target.outcome is None or target.outcome.result != "Succeeded"):
        return replace(target, outcome=Outcome("Succeeded", timestamp(now)))
    return target


def with_cause(decision: Decision, target: Revision) -> Decision:
    """Return `decision` with the cause of a failure from the record of `target`, if it failed."""
    outcome = target.outcome
    if decision.rollout.failed_at is None or outcome is None or outcome.result != "Failed":
        return decision
    cause = {"failure": f"{outcome.reason}: {outcome.message}"}
    return replace(decision, rollout=decision.rollout.model_copy(update=cause))

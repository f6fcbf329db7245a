"""Whether the previous revision can come back: when it is tried out, and what came of it. Pure."""

import hashlib
from datetime import datetime

from docparser_api.deployment import DocParserDeployment
from docparser_api.status import ConditionType, Reason

from docparser_operator import kinds
from docparser_operator.capacity import Capacity, fits_somewhere
from docparser_operator.clock import seconds_since
from docparser_operator.desired.helper_job import ROLLBACK_CHECK
from docparser_operator.desired.rollback_job import fetches_anew, rollback_job
from docparser_operator.finding import Finding
from docparser_operator.jobs import JobState
from docparser_operator.kinds import Manifest, Ref
from docparser_operator.observed import Observed
from docparser_operator.problems import find_problem
from docparser_operator.revisions import Revision
from docparser_operator.situation import Decision
from docparser_operator.weights import failure_words

KIND = ConditionType.ROLLBACK_READY


def previous_revision(revisions: dict[str, Revision], stable: str | None) -> Revision | None:
    """Return the revision that served last before `stable`; None if there was none."""
    served = [
        revision for name, revision in revisions.items() if name != stable and revision.has_served
    ]
    return max(served, key=lambda revision: revision.number, default=None)


def check_job(
    parser: DocParserDeployment,
    observed: Observed,
    decision: Decision,
    revisions: dict[str, Revision],
    now: datetime,
) -> list[Manifest]:
    """Return the Job that is due, if one is."""
    previous = previous_revision(revisions, decision.stable)
    name = _due_name(parser, decision, previous, now)
    if previous is None or name is None or name in observed.jobs:
        return []
    return [rollback_job(parser, name, previous.hash, previous.template)]


def finished_checks(
    parser: DocParserDeployment,
    observed: Observed,
    decision: Decision,
    revisions: dict[str, Revision],
    now: datetime,
) -> list[Ref]:
    """Return the Jobs whose findings are superseded."""
    previous = previous_revision(revisions, decision.stable)
    name = _due_name(parser, decision, previous, now)
    current = observed.jobs.get(name or "")
    return [
        Ref(kinds.JOB, parser.metadata.namespace, job.name)
        for job in observed.jobs.values()
        if job.purpose == ROLLBACK_CHECK and job.name != name
        if previous is None or job.revision != previous.hash or (current and current.ended)
    ]


def seconds_to_next_check(
    parser: DocParserDeployment, decision: Decision, previous: Revision | None, now: datetime
) -> float | None:
    """Return when the next Job is due; None if none is."""
    ended = decision.rollout.completed_at or decision.rollout.failed_at
    rules = parser.spec.rollout.rollback_check
    if previous is None or ended is None or not rules.enabled:
        return None
    return rules.period_seconds - max(0.0, seconds_since(ended, now)) % rules.period_seconds


def rollback_ready(
    parser: DocParserDeployment,
    observed: Observed,
    previous: Revision | None,
    capacity: Capacity | None,
) -> Finding:
    """Return whether the previous revision was found able to come back."""
    if not parser.spec.rollout.rollback_check.enabled:
        words = "spec.rollout.rollbackCheck is off"
        return Finding(KIND, "Unknown", Reason.ROLLBACK_CHECK_DISABLED, words)
    if previous is None:
        words = "no other revision has served before"
        return Finding(KIND, "False", Reason.NO_PREVIOUS_REVISION, words)
    return _found(observed, previous, capacity)


def _found(observed: Observed, previous: Revision, capacity: Capacity | None) -> Finding:
    """Return what the latest trial of `previous` has shown."""
    name = f"revision {previous.number}"
    if capacity is not None and not fits_somewhere(previous.template, capacity):
        words = f"{name}: no node has the devices that a pod of it needs"
        return Finding(KIND, "False", Reason.INSUFFICIENT_GPUS, words)
    jobs = [j for j in observed.jobs.values() if _is_check_of(j, previous)]
    ended = max((j for j in jobs if j.ended), key=_created, default=None)
    newest = max(jobs, key=_created, default=None)
    if newest is not None and not newest.ended and (problem := find_problem(newest.pods, [])):
        return Finding(KIND, "False", Reason.ROLLBACK_CHECK_FAILED, f"{name}: {problem.message}")
    if ended is None:
        return Finding(KIND, "Unknown", Reason.ROLLBACK_CHECK_PENDING, f"{name} is being tried out")
    if not ended.succeeded:
        words = f"{name}: {failure_words({'message': ended.message, 'reason': 'no end in time'})}"
        return Finding(KIND, "False", Reason.ROLLBACK_CHECK_FAILED, words)
    words = f"{name}: its image starts, and its settings and weights are as they were"
    if fetches_anew(previous.template):
        words = f"{name}: its image starts and its settings are as they were; each pod fetches its "
        words += "weights anew, which was not tried"
    return Finding(KIND, "True", Reason.ROLLBACK_CHECKED, words)


def _due_name(
    parser: DocParserDeployment, decision: Decision, previous: Revision | None, now: datetime
) -> str | None:
    """Return the name of the Job that should exist by now: one for each period at rest."""
    ended = decision.rollout.completed_at or decision.rollout.failed_at
    rules = parser.spec.rollout.rollback_check
    if previous is None or ended is None or not rules.enabled or not decision.sizes:
        return None
    turn = int(max(0.0, seconds_since(ended, now)) // rules.period_seconds)
    digest = hashlib.sha256(f"{previous.hash}/{ended}/{turn}".encode()).hexdigest()[:8]
    return f"{parser.metadata.name}-r-{digest}"


def _is_check_of(job: JobState, revision: Revision) -> bool:
    return job.purpose == ROLLBACK_CHECK and job.revision == revision.hash


def _created(job: JobState) -> tuple[str, str]:
    return str(job.manifest["metadata"].get("creationTimestamp", "")), job.name

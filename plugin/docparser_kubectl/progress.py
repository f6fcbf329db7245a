"""How far a rollout is: the phase, why it waits, and what ends the wait. Pure."""

from typing import Literal

from docparser_api import names
from docparser_api.status import ConditionType, Reason, RolloutStatus

from docparser_kubectl.subject import Subject

Phase = Literal["Complete", "Failed", "Running", "Retiring", "Waiting"]
"""`Retiring`: the new revision serves, the old one is going. `Waiting`: the operator has not yet
seen the latest spec, or the latest annotation."""

LONGEST_REQUEST = 512
"""Characters of a request for a rollback that the status repeats."""
_NO_WAY_BACK = {Reason.REVISION_NOT_FOUND, Reason.REVISION_NOT_USABLE}
_REFUSALS = {Reason.INVALID_SPEC, Reason.INVALID_REQUEST, Reason.NAME_CONFLICT}


def phase(subject: Subject) -> Phase:
    """Return how the rollout of the current spec stands."""
    rollout = subject.status.rollout
    up_to_date = subject.condition(ConditionType.UP_TO_DATE)
    if _is_asked_anew(subject):
        return "Waiting"
    if not subject.is_current:
        degraded = subject.condition(ConditionType.DEGRADED)
        seen = degraded is not None and (
            degraded.observed_generation == subject.metadata.generation
            and degraded.reason in _REFUSALS
        )
        return "Failed" if seen else "Waiting"
    if up_to_date is not None and up_to_date.status == "True":
        return "Complete"
    if rollout is not None and rollout.failed_at is not None:
        return "Failed"
    if rollout is not None and rollout.promoted_at is not None:
        return "Complete" if rollout.completed_at else "Retiring"
    return "Running"


def _is_asked_anew(subject: Subject) -> bool:
    """Return whether an annotation asks for what the operator has not looked at yet.

    Annotations do not count in the generation.
    """
    annotations, status = subject.metadata.annotations, subject.status
    asked = annotations.get(names.ANNOTATION_ROLLBACK_TO)
    known = status.rollback.to if status.rollback else None
    if asked is None and known is not None:
        return True
    if asked is not None and asked[:LONGEST_REQUEST] != known:
        rolled_back = subject.condition(ConditionType.ROLLED_BACK)
        return rolled_back is None or rolled_back.reason not in _NO_WAY_BACK
    rollout = status.rollout
    failed = subject.observed.revisions.get(rollout.revision) if rollout else None
    if rollout is None or rollout.failed_at is None or failed is None or failed.outcome is None:
        return False
    return failed.outcome.retry != annotations.get(names.ANNOTATION_RETRY, "")


def under_way(subject: Subject) -> RolloutStatus | None:
    """Return the rollout that can still be promoted or aborted, if there is one."""
    rollout = subject.status.rollout
    ended = rollout is None or rollout.failed_at or rollout.promoted_at
    return None if ended or subject.status.current_revision is None else rollout


def wait(subject: Subject) -> str | None:
    """Return what the rollout waits for and what ends that; None if it does not wait."""
    rollout = under_way(subject)
    program, name = "kubectl docparser", subject.metadata.name
    if names.ANNOTATION_PAUSE in subject.metadata.annotations:
        return f"for the end of a pause by annotation; go on with: {program} resume {name}"
    if rollout is None or rollout.pause is None:
        return None
    since = rollout.pause.since
    either = f"{program} promote {name}, or give up with: {program} abort {name}"
    if rollout.pause.reason == "Inconclusive":
        return f"for a decision since {since}, the analysis came to none; accept with: {either}"
    if rollout.pause.reason == "Requested":
        return f"for the end of a pause, since {since}; go on with: {program} resume {name}"
    steps = (subject.spec.rollout.steps or []) if subject.spec else []
    step = steps[rollout.step_index] if rollout.step_index < len(steps) else None
    if step is not None and step.pause is not None and step.pause.duration_seconds:
        return f"for time to pass, since {since}; go on sooner with: {either}"
    return f"to be promoted, since {since}; go on with: {either}"


def wanted_weight(subject: Subject) -> int | None:
    """Return the share, in percent, that the steps so far ask for; None without steps."""
    rollout = under_way(subject)
    if rollout is None or subject.spec is None or not subject.spec.rollout.steps:
        return None
    done = subject.spec.rollout.steps[: rollout.step_index + 1]
    weights = [step.set_weight for step in done if step.set_weight is not None]
    return weights[-1] if weights else 0

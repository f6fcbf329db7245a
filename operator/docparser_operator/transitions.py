"""Events for people: one for each change of a condition, none at rest."""

import hashlib
from collections.abc import Iterator

from docparser_api import names
from docparser_api.autoscaling import AutoscalingStatus
from docparser_api.deployment import ObjectMeta
from docparser_api.status import (
    Condition,
    ConditionType,
    DocParserDeploymentStatus,
    Reason,
    RequestStatus,
    RolloutStatus,
)

from docparser_operator.kinds import Manifest
from docparser_operator.petitions import news

_BAD = {
    (ConditionType.DEGRADED, "True"),
    (ConditionType.NAME_CONFLICT, "True"),
    (ConditionType.CAPACITY_AVAILABLE, "False"),
    (ConditionType.WEIGHTS_VERIFIED, "False"),
    (ConditionType.ROLLBACK_READY, "False"),
    (ConditionType.SCALING_ACTIVE, "False"),
    (ConditionType.FITS_GPU, "False"),
}
_QUIET = {ConditionType.UP_TO_DATE}
"""UpToDate repeats what Progressing says, for those who wait for it."""
_EXPECTED = {
    ConditionType.CAPACITY_AVAILABLE,
    ConditionType.WEIGHTS_VERIFIED,
    ConditionType.FITS_GPU,
}
"""Conditions that are no news when they are true from the beginning."""


def events(
    owner: ObjectMeta, old: DocParserDeploymentStatus, new: DocParserDeploymentStatus, now: str
) -> list[Manifest]:
    """Return an Event for every condition, step and verdict that changed.

    What is as it should be from the beginning is no news. Names are made of what happened, so that
    an Event that is sent twice exists once.
    """
    before = {condition.type: condition for condition in old.conditions}
    told = [c for c in new.conditions if c.type not in _QUIET]
    changed = [c for c in told if _is_news(before.get(c.type), c)]
    return [
        *(_of_condition(owner, condition, now) for condition in changed),
        *_of_requests(owner, old.requests, new.requests, now),
        *_of_rollout(owner, old.rollout, new.rollout, now),
        *_of_scaling(owner, old.autoscaling, new.autoscaling, now),
    ]


def _is_news(old: Condition | None, new: Condition) -> bool:
    if old is None:
        if (new.type, new.status) in _BAD:
            return new.reason != Reason.NO_PREVIOUS_REVISION
        return new.status == "True" and new.type not in _EXPECTED
    return (old.status, old.reason) != (new.status, new.reason)


def _of_condition(owner: ObjectMeta, condition: Condition, now: str) -> Manifest:
    kind = "Warning" if (condition.type, condition.status) in _BAD else "Normal"
    message = f"{condition.type} is {condition.status}: {condition.message}"
    what = f"{condition.type}/{condition.status}/{condition.reason}"
    return _event(owner, what, kind, condition.reason, message, now)


def _of_requests(
    owner: ObjectMeta, old: list[RequestStatus], new: list[RequestStatus], now: str
) -> Iterator[Manifest]:
    """Yield an Event for each request that came or was taken back."""
    for what, words in news(old, new):
        yield _event(owner, f"request/{what}", "Normal", "Requested", words, now)


def _of_rollout(
    owner: ObjectMeta, old: RolloutStatus | None, new: RolloutStatus | None, now: str
) -> Iterator[Manifest]:
    """Yield an Event for a step that was reached, and for each check whose verdict changed."""
    if new is None or new.analysis is None:
        return
    same = old is not None and old.revision == new.revision and old.started_at == new.started_at
    if new.steps and (old is None or not same or old.step_index != new.step_index):
        words = f"revision {new.revision} is at step {new.step_index + 1} of {new.steps}"
        if new.step_index >= new.steps:
            words = f"revision {new.revision} has done all {new.steps} steps"
        yield _event(owner, f"step/{new.step_index}", "Normal", "StepReached", words, now)
    earlier = old.analysis if old is not None and same else None
    verdicts = {m.name: m.verdict for m in earlier.measurements} if earlier else {}
    for found in new.analysis.measurements:
        if verdicts.get(found.name, "Inconclusive") != found.verdict:
            kind = "Warning" if found.verdict == "Fail" else "Normal"
            words = f"{found.name}: {found.message}"
            what = f"{found.name}/{found.verdict}"
            yield _event(owner, what, kind, f"Analysis{found.verdict}", words, now)


def _of_scaling(
    owner: ObjectMeta, old: AutoscalingStatus | None, new: AutoscalingStatus | None, now: str
) -> Iterator[Manifest]:
    """Yield an Event where another number of pods is asked for."""
    if old is None or new is None or old.desired_replicas == new.desired_replicas:
        return
    words = f"from {old.desired_replicas} to {new.desired_replicas} pods: {new.message}"
    what = f"pods/{new.desired_replicas}"
    yield _event(owner, what, "Normal", f"Scaled{new.reason}", words, now)


def _event(
    owner: ObjectMeta, what: str, kind: str, reason: str, message: str, now: str
) -> Manifest:
    digest = hashlib.sha256(f"{owner.uid}/{what}/{now}".encode()).hexdigest()[:16]
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": f"{owner.name}.{digest}", "namespace": owner.namespace},
        "involvedObject": {
            "apiVersion": names.API_VERSION,
            "kind": names.KIND,
            "name": owner.name,
            "namespace": owner.namespace,
            "uid": owner.uid,
            "resourceVersion": owner.resource_version,
        },
        "type": kind,
        "reason": reason,
        "message": message[:1024],
        "firstTimestamp": now,
        "lastTimestamp": now,
        "count": 1,
        "source": {"component": names.MANAGER},
        "reportingComponent": names.MANAGER,
        "reportingInstance": names.MANAGER,
    }

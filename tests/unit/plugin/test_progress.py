from typing import Any

import pytest
from docparser_api import names
from docparser_kubectl.progress import phase, under_way, wait, wanted_weight
from support.builders import ParserBuilder

from .cases import BAD, NEW, OLD, canary, condition, serving, subject

SINCE = "2026-01-01T12:01:00Z"
PIN = {"to": "1", "revision": OLD.hash, "specRevision": NEW.hash, "since": SINCE}
UP_TO_DATE = [condition("UpToDate", "True", "RolloutComplete")]
REFUSED = [condition("Degraded", "True", "InvalidSpec", "no")]


def rollout(**values: Any) -> ParserBuilder:
    return canary(1, **values)


PHASES = {
    "all is done": (serving().with_status(conditions=UP_TO_DATE), "Complete"),
    "a canary": (rollout(), "Running"),
    "given up": (rollout(failedAt=SINCE, failure="Aborted"), "Failed"),
    "the old one goes": (rollout(promotedAt=SINCE), "Retiring"),
    "the old one is gone": (rollout(promotedAt=SINCE, completedAt=SINCE), "Complete"),
    "a newer spec": (rollout(failedAt=SINCE).with_generation(2), "Waiting"),
    "a refused spec": (
        serving().with_status(observedGeneration=0, conditions=REFUSED),
        "Failed",
    ),
    "a rollback just asked for": (
        serving()
        .with_status(conditions=UP_TO_DATE)
        .with_annotation(names.ANNOTATION_ROLLBACK_TO, "1"),
        "Waiting",
    ),
    "a rollback that cannot be": (
        serving()
        .with_status(conditions=[*UP_TO_DATE, condition("RolledBack", "False", "RevisionNotFound")])
        .with_annotation(names.ANNOTATION_ROLLBACK_TO, "9"),
        "Complete",
    ),
    "a rollback just ended": (serving().with_status(rollback=PIN), "Waiting"),
    "a retry just asked for": (
        rollout(revision=BAD.hash, failedAt=SINCE).with_annotation(names.ANNOTATION_RETRY, "now"),
        "Waiting",
    ),
    "a first revision": (serving().with_status(currentRevision=None), "Running"),
}


@pytest.mark.parametrize("what", PHASES)
def test_phase(what: str) -> None:
    builder, want = PHASES[what]
    assert phase(subject(builder, OLD, NEW, BAD)) == want


WAITS = {
    "for a person": (
        canary(1, pause={"reason": "Step", "since": SINCE}),
        "to be promoted, since 2026-01-01T12:01:00Z",
    ),
    "for a time": (canary(2, pause={"reason": "Step", "since": SINCE}), "for time to pass"),
    "for a decision": (
        canary(3, pause={"reason": "Inconclusive", "since": SINCE}),
        "the analysis came to none; accept with: kubectl docparser promote reader",
    ),
    "for the annotation": (
        canary(1).with_annotation("docparser.dev/pause", "true"),
        "go on with: kubectl docparser resume reader",
    ),
}


@pytest.mark.parametrize("what", WAITS)
def test_what_a_rollout_waits_for(what: str) -> None:
    builder, want = WAITS[what]
    assert want in (wait(subject(builder, OLD, NEW)) or "")


def test_a_rollout_that_goes_on_waits_for_nothing() -> None:
    assert wait(subject(canary(1), OLD, NEW)) is None
    assert wait(subject(serving(), OLD)) is None


def test_the_weight_wanted_is_that_of_the_steps_so_far() -> None:
    assert wanted_weight(subject(canary(0), OLD, NEW)) == 50
    assert wanted_weight(subject(canary(3), OLD, NEW)) == 50
    assert wanted_weight(subject(serving(), OLD)) is None


def test_a_rollout_that_has_ended_cannot_be_steered() -> None:
    assert under_way(subject(canary(1), OLD, NEW)) is not None
    for end in ("failedAt", "promotedAt"):
        assert under_way(subject(canary(1, **{end: SINCE}), OLD, NEW)) is None

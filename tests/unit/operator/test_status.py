from dataclasses import replace
from typing import Any

import pytest
from docparser_api.status import (
    ConditionType,
    DocParserDeploymentStatus,
    Reason,
    RolloutStatus,
)
from docparser_operator.choice import Choice
from docparser_operator.clock import timestamp
from docparser_operator.observed import Observed
from docparser_operator.plan import Plan
from docparser_operator.problems import Problem
from docparser_operator.revisions import Observation, Outcome, Revision
from docparser_operator.situation import Decision
from docparser_operator.status import invalid_status, make_status
from docparser_operator.steps import Requests
from docparser_operator.surroundings import Surroundings
from support.builders import a_parser, a_workload, observed_of
from support.fake_clock import START

NOW = timestamp(START)
EARLIER = "2026-01-01T00:00:00Z"
PARSER = a_parser().with_replicas(3).with_generation(7)
RUNNING = RolloutStatus(revision="new", started_at=EARLIER)
DONE = RUNNING.model_copy(update={"promoted_at": EARLIER, "completed_at": EARLIER})
FAILED = RUNNING.model_copy(update={"failed_at": EARLIER})
OLD = Revision("old", {}, {}, (Observation(4, 1, "1"),))
NEW = Revision("new", {}, {}, (Observation(5, 7, "1"),))
QUOTA = Problem(Reason.QUOTA_EXCEEDED, "exceeded quota: q")
CONFLICT = Problem(Reason.NAME_CONFLICT, "Service reader exists")


def a_plan(
    stable: str | None = "new",
    rollout: RolloutStatus = DONE,
    problem: Problem | None = None,
    target: Revision = NEW,
    waiting: int = 0,
    before: str | None = "old",
) -> Plan:
    decision = Decision(stable, stable, {}, (), rollout, waiting_for_pods=waiting)
    choice = Choice(target, target, None, None, Requests(), None)
    known = {"old": OLD, "new": target}
    return Plan((), (), (), before, decision, known, target, choice, problem, Surroundings())


def status_of(
    plan: Plan,
    observed: Observed | None = None,
    refusal: Problem | None = None,
    **parser_status: Any,
) -> DocParserDeploymentStatus:
    parser = PARSER.with_status(**parser_status).built()
    seen = observed or observed_of(a_workload("new", 3))
    return make_status(parser, seen, plan, refusal, START)


def shown(status: DocParserDeploymentStatus, kind: ConditionType) -> tuple[str, Reason]:
    found = next(c for c in status.conditions if c.type == kind)
    return found.status, found.reason


ROLLING = observed_of(a_workload("old", 3), a_workload("new", 3, available=1))
SERVED = replace(ROLLING, manifests=({"kind": "Service"},))
CASES: dict[str, tuple[DocParserDeploymentStatus, dict[str, tuple[str, str]], str]] = {
    "all serves": (
        status_of(a_plan()),
        {
            "Ready": ("True", "Available"),
            "Progressing": ("False", "RolloutComplete"),
            "Degraded": ("False", "Healthy"),
            "NameConflict": ("False", "NoConflict"),
        },
        "Available: 3 of 3 pods are available",
    ),
    "the first revision starts": (
        status_of(
            a_plan(None, RUNNING, before=None), observed_of(a_workload("new", 3, available=1))
        ),
        {"Ready": ("False", "NoRevisionReady"), "Progressing": ("True", "RollingOut")},
        "RollingOut: 1 of 3 pods of revision 5 are available",
    ),
    "a new revision starts beside one that serves": (
        status_of(a_plan("old", RUNNING), ROLLING),
        {"Ready": ("True", "Available"), "Progressing": ("True", "RollingOut")},
        "RollingOut: 1 of 3 pods of revision 5 are available",
    ),
    "pods of the old revision go first": (
        status_of(a_plan("old", RUNNING, waiting=2), ROLLING),
        {"Progressing": ("True", "WaitingForOldPods")},
        "WaitingForOldPods: revision 5 waits until 2 older pods are gone",
    ),
    "old pods retire": (
        status_of(
            a_plan("new", DONE.model_copy(update={"completed_at": None})),
            observed_of(a_workload("old", 3), a_workload("new", 3)),
        ),
        {"Ready": ("True", "Available"), "Progressing": ("True", "RetiringOldRevision")},
        "RetiringOldRevision: revision 5 serves; 3 older pods have to finish and go",
    ),
    "the new revision was given up": (
        status_of(
            a_plan(
                "old",
                FAILED,
                target=replace(NEW, outcome=Outcome("Failed", NOW, "CrashLoop", "exit 1")),
            ),
            observed_of(a_workload("old", 3)),
        ),
        {
            "Ready": ("True", "Available"),
            "Progressing": ("False", "RolloutFailed"),
            "Degraded": ("True", "RolloutFailed"),
        },
        "RolloutFailed: revision 5 failed: CrashLoop: exit 1",
    ),
    "a pod is missing": (
        status_of(a_plan(), observed_of(a_workload("new", 3, available=2))),
        {"Ready": ("False", "InsufficientReplicas")},
        "InsufficientReplicas: 2 of 3 pods are available",
    ),
    "pods cannot be made": (
        status_of(a_plan(problem=QUOTA), observed_of(a_workload("new", 3, available=2))),
        {"Ready": ("False", "InsufficientReplicas"), "Degraded": ("True", "QuotaExceeded")},
        "QuotaExceeded: exceeded quota: q",
    ),
    "a name is taken before anything serves": (
        status_of(a_plan("new", before=None), refusal=CONFLICT),
        {
            "Ready": ("False", "NameConflict"),
            "Degraded": ("True", "NameConflict"),
            "NameConflict": ("True", "NameConflict"),
            "Progressing": ("True", "RollingOut"),
        },
        "NameConflict: Service reader exists",
    ),
    "the Service was deleted and is refused": (
        status_of(a_plan("new"), ROLLING, refusal=QUOTA),
        {"Ready": ("False", "QuotaExceeded")},
        "QuotaExceeded: exceeded quota: q",
    ),
    "a write is refused while the old revision serves": (
        status_of(a_plan("new"), SERVED, refusal=QUOTA),
        {
            "Ready": ("True", "Available"),
            "Degraded": ("True", "QuotaExceeded"),
            "Progressing": ("True", "RollingOut"),
        },
        "QuotaExceeded: exceeded quota: q",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_conditions_and_summary(name: str) -> None:
    status, wanted, summary = CASES[name]
    found = {kind: shown(status, ConditionType(kind)) for kind in wanted}
    assert found == wanted
    assert status.summary == summary
    assert {c.observed_generation for c in status.conditions} == {7}


def test_scaled_to_zero_is_not_ready_and_says_why() -> None:
    parser = PARSER.with_replicas(0).built()
    status = make_status(parser, observed_of(a_workload("new", 0)), a_plan(), None, START)
    assert shown(status, ConditionType.READY) == ("False", Reason.SCALED_TO_ZERO)


def test_counts_are_of_the_revision_that_serves() -> None:
    status = status_of(a_plan("old", RUNNING), ROLLING)
    assert (status.replicas, status.ready_replicas, status.available_replicas) == (3, 3, 3)
    assert (status.current_revision, status.current_revision_number) == ("old", 4)
    assert (status.update_revision, status.update_revision_number) == ("new", 5)
    assert status.updated_replicas == 3
    assert status.selector == "docparser.dev/deployment=reader,docparser.dev/revision=old"


def test_a_generation_counts_as_observed_only_when_all_of_it_was_written() -> None:
    assert status_of(a_plan(), observedGeneration=6).observed_generation == 7
    assert status_of(a_plan(), refusal=QUOTA, observedGeneration=6).observed_generation == 6


def test_after_a_refusal_the_status_tells_what_serves_still() -> None:
    kept = {"revision": "old", "startedAt": EARLIER}
    status = status_of(a_plan("new"), ROLLING, refusal=QUOTA, rollout=kept)
    assert (status.current_revision, status.current_revision_number) == ("old", 4)
    assert status.rollout is not None
    assert status.rollout.revision == "old"


def test_a_serving_revision_without_a_record_has_no_number() -> None:
    plan = a_plan("lost", RUNNING, before="lost")
    status = status_of(plan, observed_of(a_workload("lost", 3)))
    assert (status.current_revision, status.current_revision_number) == ("lost", None)


def a_condition(kind: str, status: str, generation: int = 7) -> dict[str, Any]:
    times = {"lastTransitionTime": EARLIER, "observedGeneration": generation}
    return {"type": kind, "status": status, "reason": "Available", "message": "", **times}


def test_the_transition_time_moves_with_the_status_only() -> None:
    ready, degraded = a_condition("Ready", "True"), a_condition("Degraded", "True")
    status = status_of(a_plan(), conditions=[ready, degraded])
    times = {c.type: c.last_transition_time for c in status.conditions}
    assert times[ConditionType.READY] == EARLIER
    assert times[ConditionType.DEGRADED] == NOW


def test_an_invalid_spec_does_not_touch_what_is_known_of_an_earlier_one() -> None:
    old = a_parser().with_status(
        observedGeneration=6,
        currentRevision="old",
        conditions=[a_condition("Ready", "True", 6), a_condition("Degraded", "False", 6)],
    )
    status = invalid_status(old.built().status, 7, "replicas: too many", START)
    seen = {c.type: (c.status, c.observed_generation) for c in status.conditions}
    assert seen == {ConditionType.READY: ("True", 6), ConditionType.DEGRADED: ("True", 7)}
    assert (status.observed_generation, status.current_revision) == (6, "old")
    assert status.summary == "InvalidSpec: replicas: too many"


def test_an_object_that_was_never_valid_is_not_ready() -> None:
    status = invalid_status(DocParserDeploymentStatus(), 1, "no", START)
    assert shown(status, ConditionType.READY) == ("False", Reason.INVALID_SPEC)
    assert invalid_status(status, 1, "no", START) == status

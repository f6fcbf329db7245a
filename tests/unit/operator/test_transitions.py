import pytest
from docparser_api.status import (
    AnalysisStatus,
    Condition,
    ConditionType,
    DocParserDeploymentStatus,
    Measurement,
    Reason,
    RolloutStatus,
)
from docparser_operator.transitions import events
from support.builders import a_parser

OWNER = a_parser().built().metadata
NOW = "2026-01-01T12:00:00Z"


def status(*conditions: tuple[ConditionType, str, Reason, str]) -> DocParserDeploymentStatus:
    made = [
        Condition.model_validate(
            {
                "type": kind,
                "status": truth,
                "reason": reason,
                "message": message,
                "observed_generation": 1,
                "last_transition_time": NOW,
            }
        )
        for kind, truth, reason, message in conditions
    ]
    return DocParserDeploymentStatus(conditions=made)


READY = (ConditionType.READY, "True", Reason.AVAILABLE, "3 of 3")
NOT_READY = (ConditionType.READY, "False", Reason.INSUFFICIENT_REPLICAS, "2 of 3")
HEALTHY = (ConditionType.DEGRADED, "False", Reason.HEALTHY, "fine")
QUOTA = (ConditionType.DEGRADED, "True", Reason.QUOTA_EXCEEDED, "no room")
CRASH = (ConditionType.DEGRADED, "True", Reason.CRASH_LOOP, "exit code 1")


def told(old: DocParserDeploymentStatus, new: DocParserDeploymentStatus) -> list[tuple[str, str]]:
    return [(event["type"], event["message"]) for event in events(OWNER, old, new, NOW)]


def test_nothing_new_is_not_told() -> None:
    assert told(status(READY, HEALTHY), status(READY, HEALTHY)) == []


def test_other_words_for_the_same_are_not_told() -> None:
    changed = (*READY[:3], "4 of 4")
    assert told(status(READY), status(changed)) == []


def test_a_first_false_is_no_news() -> None:
    assert told(status(), status(NOT_READY, HEALTHY)) == []


def test_a_change_of_status_is_told() -> None:
    assert told(status(NOT_READY), status(READY)) == [("Normal", "Ready is True: 3 of 3")]


def test_a_change_of_the_reason_is_told_as_a_warning_where_it_is_one() -> None:
    assert told(status(QUOTA), status(CRASH)) == [("Warning", "Degraded is True: exit code 1")]


def test_the_end_of_a_problem_is_told_as_normal() -> None:
    assert told(status(QUOTA), status(HEALTHY)) == [("Normal", "Degraded is False: fine")]


def test_the_same_event_has_the_same_name_and_another_has_not() -> None:
    first, again = (events(OWNER, status(), status(READY), NOW)[0] for _ in range(2))
    later = events(OWNER, status(), status(READY), "2026-01-01T12:00:01Z")[0]
    assert first == again
    assert first["metadata"]["name"] != later["metadata"]["name"]
    assert first["involvedObject"]["uid"] == OWNER.uid


def test_a_long_message_is_cut_to_what_an_event_takes() -> None:
    long = (*QUOTA[:3], "x" * 4000)
    assert len(events(OWNER, status(), status(long), NOW)[0]["message"]) == 1024


NO_GPU = (ConditionType.CAPACITY_AVAILABLE, "True", Reason.NO_GPU_NEEDED, "none needed")
FULL = (ConditionType.CAPACITY_AVAILABLE, "False", Reason.INSUFFICIENT_GPUS, "no GPU")
VERIFIED = (ConditionType.WEIGHTS_VERIFIED, "True", Reason.WEIGHTS_VERIFIED, "all bytes")
SPOILT = (ConditionType.WEIGHTS_VERIFIED, "False", Reason.WEIGHTS_INVALID, "a.bin")
ALONE = (ConditionType.ROLLBACK_READY, "False", Reason.NO_PREVIOUS_REVISION, "none before")
NO_WAY_BACK = (ConditionType.ROLLBACK_READY, "False", Reason.ROLLBACK_CHECK_FAILED, "no image")
LATEST = (ConditionType.UP_TO_DATE, "True", Reason.ROLLOUT_COMPLETE, "revision 2 serves")
FIRST_SIGHTS = {
    "as it should be": ((NO_GPU, VERIFIED), []),
    "too few GPUs": ((FULL,), ["Warning"]),
    "spoilt weights": ((SPOILT,), ["Warning"]),
    "nothing to go back to": ((ALONE,), []),
    "no way back": ((NO_WAY_BACK,), ["Warning"]),
    "what only repeats": ((LATEST,), []),
}


@pytest.mark.parametrize("name", FIRST_SIGHTS)
def test_what_is_as_it_should_be_from_the_beginning_is_not_told(name: str) -> None:
    conditions, kinds = FIRST_SIGHTS[name]
    assert [kind for kind, _ in told(status(), status(*conditions))] == kinds


def rollout(index: int, *found: tuple[str, str], begun: str = NOW) -> DocParserDeploymentStatus:
    """Return a status with a rollout of two steps at `index`, and what its checks have found."""
    checks = [
        Measurement.model_validate({"name": name, "verdict": verdict, "message": "3 %"})
        for name, verdict in found
    ]
    analysis = AnalysisStatus(verdict="Inconclusive", changed_at=NOW, measurements=checks)
    made = RolloutStatus(
        revision="new", started_at=begun, steps=2, step_index=index, analysis=analysis
    )
    return DocParserDeploymentStatus(rollout=made)


FIRST_STEP = ("Normal", "revision new is at step 1 of 2")
ERRORS, LOOPS = ("Warning", "errorRate: 3 %"), ("Normal", "loopRate: 3 %")
ROLLOUTS = {
    "it begins": (status(), rollout(0), [FIRST_STEP]),
    "nothing happens": (rollout(0), rollout(0), []),
    "a step is reached": (rollout(0), rollout(1), [("Normal", "revision new is at step 2 of 2")]),
    "all are done": (rollout(1), rollout(2), [("Normal", "revision new has done all 2 steps")]),
    "another attempt begins": (
        rollout(0, ("errorRate", "Fail")),
        rollout(0, ("errorRate", "Fail"), begun="2026-01-01T13:00:00Z"),
        [FIRST_STEP, ERRORS],
    ),
    "nothing can be said yet": (rollout(0), rollout(0, ("errorRate", "Inconclusive")), []),
    "checks have verdicts": (
        rollout(0, ("errorRate", "Inconclusive")),
        rollout(0, ("errorRate", "Fail"), ("loopRate", "Pass")),
        [ERRORS, LOOPS],
    ),
    "a verdict stays": (rollout(0, ("errorRate", "Fail")), rollout(0, ("errorRate", "Fail")), []),
    "a verdict is taken back": (
        rollout(0, ("errorRate", "Fail")),
        rollout(0, ("errorRate", "Inconclusive")),
        [("Normal", "errorRate: 3 %")],
    ),
    "it is over": (rollout(1), status(), []),
}


@pytest.mark.parametrize("name", ROLLOUTS)
def test_steps_and_verdicts_are_told_once(name: str) -> None:
    old, new, wanted = ROLLOUTS[name]
    assert told(old, new) == wanted

from docparser_api.status import (
    Condition,
    ConditionType,
    DocParserDeploymentStatus,
    Reason,
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

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from docparser_api.status import RolloutStatus
from docparser_operator.capacity import Capacity
from docparser_operator.clock import timestamp
from docparser_operator.desired.helper_job import ROLLBACK_CHECK
from docparser_operator.jobs import JobState
from docparser_operator.kinds import Manifest
from docparser_operator.observed import Observed
from docparser_operator.pods import Pod
from docparser_operator.revisions import Observation, Outcome, Revision, wanted_revision
from docparser_operator.rollback_check import (
    check_job,
    finished_checks,
    previous_revision,
    rollback_ready,
    seconds_to_next_check,
)
from docparser_operator.situation import Decision
from support.builders import ParserBuilder, a_parser
from support.fake_clock import START

PARSER = a_parser()
HOUR = 3600


def revision(image: str, number: int, outcome: Outcome | None) -> Revision:
    made = wanted_revision(PARSER.with_image(image).built(), {})
    return replace(made, observations=(Observation(number, number, "1"),), outcome=outcome)


GOOD = Outcome("Succeeded", "2026-01-01T00:00:00Z")
FIRST = revision("example.org/runtime:1", 1, GOOD)
FAILED = revision("example.org/runtime:2", 2, Outcome("Failed", "2026-01-01T00:00:00Z"))
STABLE = revision("example.org/runtime:3", 3, GOOD)
KNOWN = {r.hash: r for r in (FIRST, FAILED, STABLE)}


def decided(*, at_rest: bool = True) -> Decision:
    end = timestamp(START) if at_rest else None
    rollout = RolloutStatus(revision=STABLE.hash, started_at=timestamp(START), completed_at=end)
    return Decision(STABLE.hash, STABLE.hash, {STABLE.hash: 1}, (), rollout)


def after(hours: float) -> datetime:
    return START + timedelta(hours=hours)


def due(hours: float, observed: Observed | None = None, *, at_rest: bool = True) -> list[str]:
    decision = decided(at_rest=at_rest)
    jobs = check_job(PARSER.built(), observed or Observed(), decision, KNOWN, after(hours))
    return [job["metadata"]["name"] for job in jobs]


def job(name: str, *, ended: bool = True, succeeded: bool = True, **more: Any) -> JobState:
    created = {"metadata": {"name": name, "creationTimestamp": more.pop("created", "2026")}}
    values = {"message": "", "pods": (), **more}
    return JobState(name, ROLLBACK_CHECK, FIRST.hash, ended, succeeded, manifest=created, **values)


def seen(*jobs: JobState) -> Observed:
    return Observed(jobs={state.name: state for state in jobs})


def test_the_previous_revision_is_the_latest_other_one_that_served() -> None:
    assert previous_revision(KNOWN, STABLE.hash) == FIRST
    assert previous_revision({STABLE.hash: STABLE}, STABLE.hash) is None
    fallen = replace(FAILED, outcome=replace(FAILED.outcome or GOOD, served=True))
    assert previous_revision({**KNOWN, fallen.hash: fallen}, STABLE.hash) == fallen


def test_it_is_tried_out_once_in_each_period_and_never_in_mid_rollout() -> None:
    assert due(0, at_rest=False) == []
    (first,) = due(0)
    assert due(5) == [first]
    (second,) = due(7)
    assert second != first
    assert due(7, seen(job(second))) == []
    assert seconds_to_next_check(PARSER.built(), decided(), FIRST, after(5)) == HOUR


def test_an_old_finding_stays_until_there_is_a_new_one() -> None:
    (current,) = due(7)
    decision, parser = decided(), PARSER.built()
    running = seen(job("old"), job(current, ended=False))
    assert finished_checks(parser, running, decision, KNOWN, after(7)) == []
    ended = seen(job("old"), job(current))
    assert [ref.name for ref in finished_checks(parser, ended, decision, KNOWN, after(7))] == [
        "old"
    ]


def finding(
    observed: Observed, parser: ParserBuilder = PARSER, capacity: Capacity | None = None
) -> tuple[str, str, str]:
    found = rollback_ready(parser.built(), observed, FIRST, capacity)
    return found.status, found.reason, found.message


PULL: Manifest = {
    "status": {
        "containerStatuses": [
            {"name": "runtime", "image": "x", "state": {"waiting": {"reason": "ErrImagePull"}}}
        ]
    }
}
STUCK = Pod("pod", "", deleting=False, ready=False, manifest=PULL)
FINDINGS = {
    "nothing was tried": (seen(), "Unknown", "RollbackCheckPending", "being tried out"),
    "it runs": (seen(job("a", ended=False)), "Unknown", "RollbackCheckPending", "being tried"),
    "its image is gone": (
        seen(job("a", ended=False, pods=(STUCK,))),
        "False",
        "RollbackCheckFailed",
        "pod pod: x",
    ),
    "its weights are gone": (
        seen(
            job(
                "a",
                succeeded=False,
                message='{"code": "WeightsNotVerified", "file": "m.bin", "message": "not there"}',
            )
        ),
        "False",
        "RollbackCheckFailed",
        "m.bin: WeightsNotVerified: not there",
    ),
    "all is well": (seen(job("a")), "True", "RollbackChecked", "revision 1: its image starts"),
    "a new trial runs": (
        seen(job("a"), job("b", ended=False, created="2027")),
        "True",
        "RollbackChecked",
        "",
    ),
}


@pytest.mark.parametrize("name", FINDINGS)
def test_what_is_found(name: str) -> None:
    observed, *wanted, words = FINDINGS[name]
    found = finding(observed)
    assert list(found[:2]) == wanted
    assert words in found[2]


def test_a_revision_that_no_node_can_hold_is_not_ready() -> None:
    gpu = revision("example.org/runtime:1", 1, GOOD)
    template = wanted_revision(PARSER.with_spec(resources={"gpu": {"count": 2}}).built(), {})
    gpu = replace(gpu, template=template.template)
    found = rollback_ready(PARSER.built(), seen(job("a")), gpu, Capacity((), {}))
    assert (found.status, found.reason) == ("False", "InsufficientGpus")


def test_it_can_be_switched_off() -> None:
    off = PARSER.with_rollout(rollbackCheck={"enabled": False})
    assert finding(seen(), off)[:2] == ("Unknown", "RollbackCheckDisabled")
    assert check_job(off.built(), seen(), decided(), KNOWN, START) == []

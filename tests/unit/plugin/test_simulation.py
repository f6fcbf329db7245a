from typing import Any

import pytest
from docparser_api.rollout import RolloutSpec
from docparser_kubectl.simulation import play
from docparser_operator.situation import Situation
from support.builders import a_workload, observed_of
from support.fake_clock import START

from .cases import CANARY

GPUS = {"old": 1, "new": 1}
BLUE_GREEN = {"strategy": "BlueGreen", "steps": [{"pause": {"durationSeconds": 30}}]}


def begin(replicas: int = 3, size: int | None = None, **values: Any) -> Situation:
    rules = RolloutSpec.model_validate(values.pop("rules", {}))
    old = observed_of(a_workload("old", replicas if size is None else size))
    stable = {"target": "new", "stable": "old", "observed": old}
    return Situation(
        **{
            "replicas": replicas,
            "rules": rules,
            "target_failed": False,
            "rollout": None,
            "now": START,
            **stable,
            **values,
        }
    )


# strategy: pods started, stopped, at most; rounds of starting; seconds that the rules take
COURSES: dict[str, tuple[Situation, tuple[int, int, int, int, float]]] = {
    "surge": (begin(), (3, 3, 6, 1, 5)),
    "in place": (begin(rules={"strategy": "InPlace"}), (3, 3, 3, 3, 0)),
    "two at a time": (begin(rules={"strategy": "InPlace", "maxUnavailable": 2}), (3, 3, 3, 2, 0)),
    "recreate": (begin(rules={"strategy": "Recreate"}), (3, 3, 3, 1, 0)),
    "blue and green": (begin(rules=BLUE_GREEN), (3, 3, 6, 1, 35)),
    "grown meanwhile": (begin(replicas=3, size=1), (5, 3, 6, 1, 5)),
    "a first revision": (begin(stable=None, observed=observed_of()), (3, 0, 3, 1, 0)),
    "no GPU is free": (begin(fitting=0), (3, 3, 3, 3, 0)),
}


@pytest.mark.parametrize("what", COURSES)
def test_a_rollout_is_played_to_its_end(what: str) -> None:
    situation, (started, stopped, most, rounds, seconds) = COURSES[what]
    course = play(situation, GPUS)
    assert course.is_complete
    assert course.sizes == {"new": 3}
    counted = (course.started, course.stopped, course.most_pods, course.rounds)
    assert counted == (started, stopped, most, rounds)
    assert course.most_gpus == most
    assert course.waits_seconds == seconds
    assert course.people == ()


def test_a_canary_grows_step_by_step_and_waits_for_people() -> None:
    rules = {**CANARY, "steps": [{"setWeight": 25}, *CANARY["steps"]]}
    course = play(begin(replicas=6, rules=rules), GPUS)
    assert course.is_complete
    assert course.people == (2,)
    assert (course.started, course.most_pods) == (6, 12)
    assert course.rounds == 2
    assert course.waits_seconds == 90 + 60 + 5


def test_without_steps_nobody_is_waited_for() -> None:
    course = play(begin(rules=CANARY, straight=True), GPUS)
    assert (course.is_complete, course.people) == (True, ())


def test_blue_green_waits_for_gpus() -> None:
    course = play(begin(rules=BLUE_GREEN, fitting=0), GPUS)
    assert not course.in_place
    assert course.most_pods == 6


def test_scaling_replaces_no_pod() -> None:
    course = play(begin(replicas=5, size=2, target="old"), GPUS)
    assert (course.started, course.fresh, course.stopped, course.most_pods) == (3, 3, 0, 5)


def test_a_failed_revision_gets_no_pod() -> None:
    course = play(begin(target_failed=True), GPUS)
    assert not course.is_complete
    assert (course.started, course.stopped) == (0, 0)

"""How far a canary is: what a step wants, and when the next one begins."""

from dataclasses import dataclass, field
from typing import Any

import pytest
from docparser_api.rollout import RolloutSpec
from docparser_api.status import AnalysisStatus, RolloutPause, RolloutStatus
from docparser_operator.steps import Demand, Requests, Walk
from support.fake_clock import START
from unit.operator.rollout_case import ago

Step = dict[str, Any]
WEIGHT, MORE = {"setWeight": 25}, {"setWeight": 50}
SHORT: Step = {"pause": {"durationSeconds": 20}}
ENDLESS: Step = {"pause": {}}
ANALYSIS: Step = {"analysis": {"durationSeconds": 10}}
PATIENCE = 30
PASS = AnalysisStatus(verdict="Pass", changed_at=ago(1))
UNKNOWN = AnalysisStatus(verdict="Inconclusive", changed_at=ago(1))


def rules(*steps: Step, strategy: str = "Canary") -> RolloutSpec:
    given = {"strategy": strategy, "steps": list(steps) or None}
    return RolloutSpec.model_validate({**given, "analysis": {"patienceSeconds": PATIENCE}})


def walk(*steps: Step, **changes: Any) -> Walk:
    """Return a walk with four available pods of the new revision, unless told otherwise."""
    given: dict[str, Any] = {
        "rules": rules(*steps),
        "replicas": 4,
        "base": 4,
        "exact": False,
        "in_place": False,
        "available": 4,
        "analysis": None,
        "requests": Requests(),
        "blocked": False,
        "now": START,
    }
    return Walk(**(given | changes))


def at(step: int, since: float | None, *steps: Step) -> RolloutStatus:
    """Return a rollout that has been at a step of `steps` for so many seconds."""
    begun = RolloutStatus(revision="new", started_at=ago(500))
    known = walk(*steps, replicas=0).advanced(begun)
    started = None if since is None else ago(since)
    return known.model_copy(update={"step_index": step, "step_started_at": started})


DEMANDS: dict[str, tuple[Walk, int, Demand]] = {
    "no share, no pods": (walk({"setWeight": 0}), 0, Demand(0, 0)),
    "a quarter beside four is one of five": (walk(WEIGHT), 0, Demand(1, 25)),
    "half of the requests needs as many pods": (walk(MORE), 0, Demand(4, 50)),
    "more than half needs no more pods than serve": (walk({"setWeight": 80}), 0, Demand(4, 80)),
    "the least share needs a pod": (walk({"setWeight": 1}), 0, Demand(1, 1)),
    "all requests need all pods": (walk({"setWeight": 100}), 0, Demand(4, 100)),
    "a gateway splits exactly": (walk(MORE, exact=True), 0, Demand(2, 50)),
    "in place, a share is one of the pods": (walk(MORE, in_place=True), 0, Demand(2, 50)),
    "pods are reckoned by a larger stable revision": (walk(MORE, base=8), 0, Demand(4, 50)),
    "pods and share are set apart": (walk(WEIGHT, {"setReplicas": 3}), 1, Demand(3, 25)),
    "never more pods than spec asks for": (walk({"setReplicas": 9}), 0, Demand(4, 0)),
    "a step that waits keeps what was set": (walk(WEIGHT, ENDLESS), 1, Demand(1, 25)),
    "the next step counts only once it is reached": (walk(WEIGHT, MORE), 0, Demand(1, 25)),
    "after the last step all pods come": (walk(WEIGHT), 1, Demand(4, 25)),
    "with no pod wanted there is none": (walk(MORE, replicas=0, base=0), 0, Demand(0, 50)),
    "green has all pods and no request": (
        walk(rules=rules(ENDLESS, strategy="BlueGreen")),
        0,
        Demand(4, 0),
    ),
}


@pytest.mark.parametrize("name", DEMANDS)
def test_a_step_wants_pods_and_a_share(name: str) -> None:
    moment, index, demand = DEMANDS[name]
    assert moment.demand(index) == demand


@dataclass(frozen=True)
class Move:
    """A walk from step `index`, at which it has been `since` seconds, and where it leads."""

    steps: tuple[Step, ...]
    to: int
    index: int = 0
    since: float | None = None
    pause: str | None = None
    started: float | None = None
    given: dict[str, Any] = field(default_factory=dict)


MOVES = {
    "a share is set and reached": Move((WEIGHT, ENDLESS), 1, pause="Step", started=0),
    "a share waits for its pods": Move((WEIGHT, ENDLESS), 0, given={"available": 0}),
    "a share that was reached needs them no more": Move(
        (WEIGHT, ENDLESS), 1, since=5, given={"available": 0}
    ),
    "an endless pause lasts": Move((ENDLESS,), 0, since=9999, pause="Step", started=9999),
    "a pause lasts its time": Move((SHORT,), 0, since=19, pause="Step", started=19),
    "a pause is over": Move((SHORT, ENDLESS), 1, since=20, pause="Step", started=0),
    "several steps end at once": Move((WEIGHT, MORE, SHORT), 2, pause="Step", started=0),
    "all steps are done": Move((WEIGHT, SHORT), 2, index=1, since=20),
    "a promotion ends the wait": Move(
        (ENDLESS,), 1, since=1, given={"requests": Requests(promote=0)}
    ),
    "a promotion does not wait for pods": Move(
        (WEIGHT, ENDLESS), 1, given={"available": 0, "requests": Requests(promote=0)}
    ),
    "a promotion of an earlier step does nothing": Move(
        (WEIGHT, ENDLESS), 1, 1, 1, "Step", 1, {"requests": Requests(promote=0)}
    ),
    "all steps are skipped": Move(
        (WEIGHT, ENDLESS, ANALYSIS), 3, given={"requests": Requests(promote="all"), "available": 0}
    ),
    "who pauses is stronger than who promotes": Move(
        (ENDLESS,), 0, 0, 1, "Requested", 1, {"requests": Requests(paused=True, promote="all")}
    ),
    "a pause that was asked for keeps the step": Move(
        (SHORT,), 0, 0, 60, "Requested", 60, {"requests": Requests(paused=True)}
    ),
    "a route that cannot split keeps the step": Move(
        (WEIGHT,), 0, 0, 5, None, 5, {"blocked": True}
    ),
    "an analysis that passes is done": Move((ANALYSIS,), 1, since=10, given={"analysis": PASS}),
    "an analysis lasts its time": Move((ANALYSIS,), 0, 0, 9, None, 9, {"analysis": PASS}),
    "nothing was measured yet": Move((ANALYSIS,), 0, since=10, started=10),
    "an analysis waits for more requests": Move(
        (ANALYSIS,), 0, 0, 39, None, 39, {"analysis": UNKNOWN}
    ),
    "an analysis loses patience": Move(
        (ANALYSIS,), 0, 0, 40, "Inconclusive", 40, {"analysis": UNKNOWN}
    ),
    "an analysis passes late": Move((ANALYSIS,), 1, since=400, given={"analysis": PASS}),
    "with no pod wanted nothing is tried out": Move(
        (SHORT,), 0, since=60, given={"replicas": 0}, pause="Step", started=60
    ),
    "a start that lies ahead comes from another clock": Move(
        (SHORT,), 0, since=-3600, pause="Step", started=0
    ),
}


@pytest.mark.parametrize("name", MOVES)
def test_steps_are_taken_in_their_order(name: str) -> None:
    move = MOVES[name]
    reached = walk(*move.steps, **move.given).advanced(at(move.index, move.since, *move.steps))
    assert (reached.step_index, reached.steps) == (move.to, len(move.steps))
    assert (reached.pause.reason if reached.pause else None) == move.pause
    assert reached.step_started_at == (None if move.started is None else ago(move.started))


def test_other_steps_begin_again_from_the_first() -> None:
    before = at(1, 60, WEIGHT, ENDLESS)
    reached = walk(ENDLESS, WEIGHT).advanced(before)
    assert (reached.step_index, reached.step_started_at) == (0, ago(0))
    assert reached.steps_hash != before.steps_hash


def test_a_pause_tells_since_when_until_its_reason_changes() -> None:
    begun = RolloutPause(reason="Step", since=ago(50))
    before = at(0, 50, ENDLESS).model_copy(update={"pause": begun})
    assert walk(ENDLESS).advanced(before).pause == begun
    asked = walk(ENDLESS, requests=Requests(paused=True)).advanced(before).pause
    assert asked == RolloutPause(reason="Requested", since=ago(0))


WAITS: dict[str, tuple[tuple[Step, ...], int, float | None, float | None]] = {
    "the rest of a pause": ((SHORT,), 0, 5, 15),
    "an endless pause": ((ENDLESS,), 0, 5, None),
    "a step whose pods are missing": ((SHORT,), 0, None, None),
    "the time of an analysis": ((ANALYSIS,), 0, 4, 6),
    "the patience of an analysis": ((ANALYSIS,), 0, 15, 25),
    "no patience is left": ((ANALYSIS,), 0, 50, None),
    "a step that only sets something": ((WEIGHT,), 0, 1, None),
    "all steps are done": ((SHORT,), 1, 1, None),
}


@pytest.mark.parametrize("name", WAITS)
def test_it_looks_again_when_a_step_may_end(name: str) -> None:
    steps, index, since, seconds = WAITS[name]
    assert walk(*steps).seconds_left(at(index, since, *steps)) == seconds

"""Rollouts with steps, for the tables of what becomes of them."""

from typing import Any

from docparser_api.rollout import RolloutSpec
from docparser_api.status import RolloutStatus
from docparser_operator.rollout import decide
from docparser_operator.situation import Situation
from support.builders import a_workload, observed_of
from support.fake_clock import START
from unit.operator.rollout_case import ago

STEPS: list[dict[str, Any]] = [
    {"setWeight": 25},
    {"pause": {}},
    {"setWeight": 100},
    {"pause": {}},
    {"setWeight": 0},
    {"pause": {}},
]
TRIED, FULL, NONE = 1, 3, 5
"""The pauses of STEPS, by the share that the new revision has at them."""


def rules(strategy: str, *steps: dict[str, Any]) -> RolloutSpec:
    given = {"strategy": strategy, "steps": list(steps), "progressDeadlineSeconds": 60}
    return RolloutSpec.model_validate(given)


CANARY, BLUE_GREEN = rules("Canary", *STEPS), rules("BlueGreen", {"pause": {}})
NOTHING = observed_of(a_workload("old", 3))
ONE = observed_of(a_workload("old", 3), a_workload("new", 1))
ALL = observed_of(a_workload("old", 3), a_workload("new", 3))


def at(step: int, rules: RolloutSpec = CANARY, **changes: Any) -> RolloutStatus:
    """Return a rollout that has been at `step` for a minute, with all of its pods."""
    first = Situation(3, rules, "new", False, "old", None, NOTHING, START)  # noqa: FBT003
    begun = {
        "started_at": ago(500),
        "step_index": step,
        "step_started_at": ago(60),
        "progressed_at": None,
    }
    return decide(first).rollout.model_copy(update=begun | changes)

"""Plans with only what words about a rollout depend on."""

from typing import Any

from docparser_api.status import RolloutPause, RolloutStatus
from docparser_operator.capacity import Capacity
from docparser_operator.choice import Choice
from docparser_operator.kinds import Manifest
from docparser_operator.plan import Plan
from docparser_operator.revisions import Observation, Revision
from docparser_operator.situation import Decision
from docparser_operator.steps import Requests
from docparser_operator.surroundings import Surroundings
from unit.operator.rollout_case import ago

NO_GPU: Manifest = {"spec": {"containers": [{}]}}
GPU: Manifest = {"spec": {"containers": [{"resources": {"limits": {"nvidia.com/gpu": "1"}}}]}}
OLD = Revision("old", {}, NO_GPU, (Observation(4, 1, "1"),))
NEW = Revision("new", {}, NO_GPU, (Observation(5, 7, "1"),))
BEGUN = RolloutStatus(revision="new", started_at=ago(60))


def rolling(pause: str | None = None, **changes: Any) -> RolloutStatus:
    """Return a rollout that waits for the given reason, if any."""
    found = {"reason": pause, "since": ago(1)} if pause else None
    return BEGUN.model_copy(
        update={"pause": RolloutPause.model_validate(found) if found else None, **changes}
    )


def nodes(gpus: int) -> Capacity:
    """Return the capacity of a cluster with so many free GPUs on one node."""
    status = {
        "allocatable": {"nvidia.com/gpu": str(gpus)},
        "conditions": [{"type": "Ready", "status": "True"}],
    }
    return Capacity(({"metadata": {"name": "a"}, "spec": {}, "status": status},), {})


def a_plan(
    rollout: RolloutStatus = BEGUN,
    *,
    stable: str | None = "old",
    target: Revision = NEW,
    choice: dict[str, Any] | None = None,
    around: Surroundings | None = None,
    **decision: Any,
) -> Plan:
    """Return a plan that rolls out `target`; `choice` and `decision` have further fields."""
    sizes = decision.pop("sizes", {"old": 3, "new": 3})
    decided = Decision(stable, stable, sizes, (), rollout, **decision)
    given: dict[str, Any] = {"wanted": target, "rollback": None, "refusal": None, "misread": None}
    chosen = Choice(**{**given, "target": target, "requests": Requests(), **(choice or {})})
    known = {"old": OLD, target.hash: target}
    return Plan((), (), (), "old", decided, known, target, chosen, None, around or Surroundings())

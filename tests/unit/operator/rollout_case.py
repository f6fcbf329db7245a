"""The form of the tables of rollout decisions."""

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from docparser_api.rollout import RolloutSpec
from docparser_api.status import RolloutStatus
from docparser_operator.clock import timestamp
from docparser_operator.observed import Observed
from docparser_operator.rollout import decide
from docparser_operator.situation import Situation
from support.fake_clock import START

SURGE = RolloutSpec(progress_deadline_seconds=60)
IN_PLACE = RolloutSpec(strategy="InPlace", progress_deadline_seconds=60)
TWO_AT_A_TIME = IN_PLACE.model_copy(update={"max_unavailable": 2})


def ago(seconds: float) -> str:
    return timestamp(START - timedelta(seconds=seconds))


def rolling(revision: str, *, progressed: float = 1, available: int = 0) -> RolloutStatus:
    return RolloutStatus(
        revision=revision,
        started_at=ago(500),
        progressed_at=ago(progressed),
        available_pods=available,
    )


def promoted(revision: str, seconds: float = 400, *, completed: bool = False) -> RolloutStatus:
    end = ago(seconds) if completed else None
    return rolling(revision).model_copy(update={"promoted_at": ago(seconds), "completed_at": end})


def failed(revision: str) -> RolloutStatus:
    return rolling(revision).model_copy(update={"failed_at": ago(100)})


@dataclass(frozen=True)
class Case:
    """A situation with target `new`, and the fields of the decision that matter in it.

    Attributes:
        want: fields of the decision.
        progress: fields of its rollout.
        more: further fields of the situation.
    """

    observed: Observed
    want: dict[str, Any]
    stable: str | None = "old"
    replicas: int = 3
    rules: RolloutSpec = SURGE
    rollout: RolloutStatus | None = None
    target: str = "new"
    target_failed: bool = False
    progress: dict[str, Any] = field(default_factory=dict)
    more: dict[str, Any] = field(default_factory=dict)


def check(case: Case) -> None:
    """Decide, and compare what matters."""
    decision = decide(
        Situation(
            replicas=case.replicas,
            rules=case.rules,
            target=case.target,
            target_failed=case.target_failed,
            stable=case.stable,
            rollout=case.rollout,
            observed=case.observed,
            now=START,
            **case.more,
        )
    )
    assert {key: getattr(decision, key) for key in case.want} == case.want
    assert {key: getattr(decision.rollout, key) for key in case.progress} == case.progress
    assert decision.rollout.revision == case.target

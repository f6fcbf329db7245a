"""What would be decided between two passes."""

from datetime import UTC, datetime, timedelta

import pytest
from docparser_api.autoscaling import ScalingReason
from docparser_operator.autoscaling.decision import decide
from docparser_operator.autoscaling.subject import RECOUNT_SECONDS, Load, ScalingSubject, is_news
from docparser_operator.autoscaling.values import Demand, Rules, State, Supply

BEGUN = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
RULES = Rules(1, 20, pages_per_second=1.0)


def subject(supply: Supply) -> ScalingSubject:
    state, full = State(supply.pods), ScalingReason.CLUSTER_FULL
    return ScalingSubject(
        RULES, (), is_shared=False, supply=supply, at=BEGUN, state=state, reason=full
    )


def load(queued: float, seconds: float) -> tuple[Load, datetime]:
    now = BEGUN + timedelta(seconds=seconds)
    return Load(Demand(queued, 0, 0, 0, now)), now


def test_room_that_was_counted_long_ago_is_counted_again() -> None:
    full = subject(Supply(2, schedulable=0, lead_time_seconds=10))
    for seconds, news in ((0, False), (RECOUNT_SECONDS - 1, False), (RECOUNT_SECONDS, True)):
        found = full.decision(*load(500, seconds))
        assert is_news(2, full.reason, found) is news


def test_pods_on_their_way_come_nearer() -> None:
    coming = subject(Supply(1, starting=(0.0,) * 4, lead_time_seconds=20))
    passed = Supply(1, starting=(15.0,) * 4, lead_time_seconds=20)
    given, now = load(200, 15)
    expected = decide(RULES, State(5), given.demand, passed, now)
    assert coming.decision(given, now) == expected


@pytest.mark.parametrize(
    ("replicas", "reason", "news"),
    [
        (3, ScalingReason.STEADY, True),
        (2, ScalingReason.DEMAND_FELL, False),
        (2, ScalingReason.METRICS_OLD, True),
    ],
)
def test_news_is_another_number_or_a_limit(
    replicas: int, reason: ScalingReason, *, news: bool
) -> None:
    given, now = load(0, 0)
    decided = decide(Rules(2, 2), State(2), given.demand, Supply(2), now)
    assert is_news(replicas, reason, decided) is news

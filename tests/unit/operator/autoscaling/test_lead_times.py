"""How long pods take until they serve."""

from datetime import UTC, datetime, timedelta

from docparser_api.autoscaling import LeadTime
from docparser_operator.autoscaling.lead_times import (
    MOST_LEAD_TIMES,
    Start,
    all_learned,
    lead_time_of,
)

BEGUN = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)


def start(seconds: float, at: int, revision: str = "one", device: str = "") -> Start:
    return Start(revision, device, 1, 2, seconds - 3, BEGUN + timedelta(seconds=at))


def learned(*seconds: float) -> LeadTime:
    return all_learned([], [start(value, at) for at, value in enumerate(seconds)])[0]


def test_the_first_start_is_believed_with_its_parts() -> None:
    found = learned(60)
    assert (found.seconds, found.samples) == (60, 1)
    parts = (found.scheduling_seconds, found.preparing_seconds, found.loading_seconds)
    assert parts == (1, 2, 57)


def test_slow_starts_count_more_than_quick_ones() -> None:
    assert learned(60, 100).seconds == 80
    assert learned(100, 60).seconds == 96


def test_the_estimate_comes_to_where_most_starts_are_quicker() -> None:
    found = learned(*[40.0, 50.0, 60.0, 70.0, 80.0] * 40)
    assert 60 < found.seconds < 80


def test_a_start_is_learned_from_once() -> None:
    starts = [start(60, 0), start(100, 10)]
    once = all_learned([], starts)
    assert all_learned(once, starts) == once


def test_each_revision_and_gpu_has_its_own_and_the_slowest_counts() -> None:
    known = all_learned(
        [], [start(60, 0, device="A"), start(90, 1, device="B"), start(20, 2, "two")]
    )
    assert len(known) == 3
    assert lead_time_of(known, "one") == 90
    assert lead_time_of(known, "two") == 20
    assert lead_time_of(known, "new") == 20
    assert lead_time_of([], "new") is None


def test_only_the_latest_revisions_are_kept() -> None:
    known = all_learned([], [start(60, at, revision=f"r{at}") for at in range(30)])
    assert len(known) == MOST_LEAD_TIMES
    assert known[-1].revision == "r29"

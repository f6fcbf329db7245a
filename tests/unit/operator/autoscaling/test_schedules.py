"""Times with bounds of their own."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from docparser_api.autoscaling import AutoscalingSpec, Schedule
from docparser_operator.autoscaling.rules import rules
from docparser_operator.autoscaling.schedules import Bounds, ScheduleError, calendar


def schedule(**given: Any) -> Schedule:
    """Return three hours from eight on workdays, unless said otherwise."""
    usual = {"name": "day", "start": "0 8 * * MON-FRI", "duration_seconds": 10_800}
    return Schedule.model_validate({**usual, "min_replicas": 4, **given})


def bounds(now: datetime, *schedules: Schedule, lead: int = 0) -> Bounds:
    return calendar(schedules).bounds(1, 10, now, timedelta(seconds=lead))


def at(day: int, hour: int, minute: int = 0, month: int = 3) -> datetime:
    """Return a time of a year in which 2 March is a Monday."""
    return datetime(2026, month, day, hour, minute, tzinfo=UTC)


@pytest.mark.parametrize(
    ("now", "least"),
    [
        (at(2, 7, 59), 1),
        (at(2, 8), 4),
        (at(2, 10, 59), 4),
        (at(2, 11), 1),
        (at(1, 9), 1),
    ],
)
def test_a_schedule_holds_from_its_start_for_its_duration(now: datetime, least: int) -> None:
    assert bounds(now, schedule()).least == least


@pytest.mark.parametrize(("now", "least"), [(at(2, 7), 4), (at(2, 10), 1), (at(6, 6, 0, 7), 4)])
def test_a_start_is_meant_in_its_zone_summer_or_winter(now: datetime, least: int) -> None:
    assert bounds(now, schedule(time_zone="Europe/Berlin")).least == least


def test_pods_are_asked_for_a_lead_time_before() -> None:
    assert bounds(at(2, 7, 55), schedule(), lead=300).least == 4
    assert bounds(at(2, 7, 54), schedule(), lead=300).least == 1


def test_the_largest_of_schedules_counts() -> None:
    night = schedule(name="night", start="0 9 * * *", min_replicas=2, max_replicas=3)
    assert bounds(at(2, 9), night) == Bounds(2, 3, ("night",))
    assert bounds(at(2, 9), night, schedule()) == Bounds(4, 4, ("night", "day"))
    assert bounds(at(2, 9), schedule(min_replicas=15)).most == 15


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"time_zone": "Mars/Olympus"}, "no time zone Mars/Olympus"),
        ({"start": "99 8 * * *"}, "start: Bad minute"),
        ({"start": "0 0 30 2 *"}, "start: Bad day-of-month"),
    ],
)
def test_what_cannot_be_read_is_refused_by_name(given: dict[str, Any], words: str) -> None:
    with pytest.raises(ScheduleError, match=f"schedule day: .*{words}"):
        calendar([schedule(**given)])


def test_rules_are_in_the_units_of_decisions() -> None:
    spec = AutoscalingSpec(max_replicas=5, pages_per_minute=30, vram_high_percent=90)
    found = rules(spec)
    assert (found.pages_per_second, found.vram_high_fraction) == (0.5, 0.9)
    assert (found.min_replicas, found.max_replicas) == (1, 5)
    assert found.scale_down_stabilization_seconds == 120

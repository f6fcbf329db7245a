from datetime import UTC, datetime, timedelta, timezone

from docparser_operator.clock import seconds_since, timestamp, utc_now

NOON = datetime(2026, 1, 1, 12, 0, 0, tzinfo=UTC)


def test_a_timestamp_has_whole_seconds_in_utc() -> None:
    east = NOON.astimezone(timezone(timedelta(hours=8))) + timedelta(microseconds=900_000)
    assert timestamp(east) == "2026-01-01T12:00:00Z"


def test_seconds_are_counted_from_a_timestamp() -> None:
    assert seconds_since("2026-01-01T11:59:00Z", NOON) == 60
    assert seconds_since("2026-01-01T20:00:30+08:00", NOON) == -30


def test_the_current_time_is_aware_of_its_zone() -> None:
    assert utc_now().tzinfo is UTC

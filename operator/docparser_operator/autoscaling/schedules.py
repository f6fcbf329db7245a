"""Times with bounds of their own: cron expressions in time zones."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from cronsim import CronSim, CronSimError
from docparser_api.autoscaling import Schedule


class ScheduleError(ValueError):
    """A schedule cannot be read; the text says which, and why."""


@dataclass(frozen=True)
class Bounds:
    """Least and most pods at a time, and the schedules from which they come."""

    least: int
    most: int
    schedules: tuple[str, ...] = ()


@dataclass(frozen=True)
class Calendar:
    """Schedules whose expressions and zones have been checked. Made by `calendar`."""

    schedules: tuple[Schedule, ...] = ()

    def bounds(self, least: int, most: int, now: datetime, lead: timedelta) -> Bounds:
        """Return the bounds at `now`, where `least` and `most` hold at other times.

        The pods of a schedule count from `lead` before it begins, so that they serve by then.
        """
        ahead = [s for s in self.schedules if _is_on(s, now) or _is_on(s, now + lead)]
        caps = [s.max_replicas for s in ahead if s.max_replicas is not None]
        least = max([least, *(s.min_replicas for s in ahead)])
        return Bounds(least, max([least, *(caps or [most])]), tuple(s.name for s in ahead))


def calendar(schedules: Sequence[Schedule]) -> Calendar:
    """Return `schedules` once they were found to be readable.

    Raises:
        ScheduleError: an expression or a zone does not exist.
    """
    for schedule in schedules:
        try:
            zone = ZoneInfo(schedule.time_zone)
            next(CronSim(schedule.start, datetime(2024, 1, 1, tzinfo=zone)))
        except (ZoneInfoNotFoundError, ValueError):
            raise ScheduleError(
                f"schedule {schedule.name}: there is no time zone {schedule.time_zone}"
            ) from None
        except CronSimError as error:
            raise ScheduleError(f"schedule {schedule.name}: start: {error}") from None
    return Calendar(tuple(schedules))


def _is_on(schedule: Schedule, now: datetime) -> bool:
    """Return whether the latest start of `schedule` is less than its duration ago."""
    minute = now.astimezone(UTC).replace(second=0, microsecond=0)
    begun = _latest_start(schedule.start, schedule.time_zone, minute)
    return begun is not None and now < begun + timedelta(seconds=schedule.duration_seconds)


@lru_cache(maxsize=1024)
def _latest_start(start: str, zone: str, minute: datetime) -> datetime | None:
    """Return the last time at or before `minute` at which `start` came, in UTC."""
    # A search leaves out the moment from which it goes back.
    after = (minute + timedelta(minutes=1)).astimezone(ZoneInfo(zone))
    for found in CronSim(start, after, reverse=True):
        begun = found.astimezone(UTC)
        if begun <= minute:
            return begun
    return None

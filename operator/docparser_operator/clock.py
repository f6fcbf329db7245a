"""Time as it stands in Kubernetes objects: UTC, whole seconds, RFC 3339."""

from datetime import UTC, datetime


def timestamp(now: datetime) -> str:
    """Return `now` as `2026-01-31T12:00:00Z`."""
    return now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def seconds_since(then: str, now: datetime) -> float:
    """Return the seconds from timestamp `then` until `now`."""
    return (now - datetime.fromisoformat(then)).total_seconds()


def utc_now() -> datetime:
    """Return the current time."""
    return datetime.now(UTC)

"""What a process does for a service."""

from enum import StrEnum


class Role(StrEnum):
    """What a process does for a service."""

    ALL = "all"
    WORKER = "worker"

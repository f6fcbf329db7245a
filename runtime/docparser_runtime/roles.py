"""What a process does for a service."""

from enum import StrEnum


class Role(StrEnum):
    """What a process does for a service."""

    ALL = "all"
    GATEWAY = "gateway"
    WORKER = "worker"

    @property
    def reads(self) -> bool:
        """Whether it has an engine."""
        return self is not Role.GATEWAY

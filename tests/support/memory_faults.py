"""What can go wrong at a write to the `MemoryCluster`, and what it remembers of writes."""

from dataclasses import dataclass
from enum import Enum

from docparser_operator.errors import ConflictError, UnavailableError
from docparser_operator.kinds import Manifest, Ref


class Crash(BaseException):
    """The operator's process ends here."""


class Fault(Enum):
    """What happens at a write."""

    CRASH_BEFORE = "crash before"
    CRASH_AFTER = "crash after"
    LOST_ANSWER = "lost answer"
    CONFLICT = "conflict"
    UNAVAILABLE = "unavailable"


BEFORE: dict[Fault | None, BaseException] = {
    Fault.CRASH_BEFORE: Crash(),
    Fault.CONFLICT: ConflictError(409, "by plan"),
    Fault.UNAVAILABLE: UnavailableError("by plan"),
}
AFTER: dict[Fault | None, BaseException] = {
    Fault.CRASH_AFTER: Crash(),
    Fault.LOST_ANSWER: UnavailableError("connection reset"),
}


@dataclass(frozen=True)
class Write:
    """One writing call of the operator, and whether it changed anything."""

    verb: str
    ref: Ref
    changed: bool


@dataclass(frozen=True)
class Change:
    """One change of an object, by whomever; `manifest` bears the version of the change."""

    ref: Ref
    manifest: Manifest
    deleted: bool

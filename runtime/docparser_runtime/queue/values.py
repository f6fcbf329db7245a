"""What passes in and out of the queue."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum, StrEnum
from typing import Any


class State(StrEnum):
    """Where a job stands. Only the first two ever change."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"
    DEAD = "dead"

    @property
    def is_final(self) -> bool:
        """Whether nothing more will happen to the job, unless somebody asks for it by hand."""
        return self not in {State.QUEUED, State.RUNNING}


class Priority(IntEnum):
    """Who comes first. Within one priority, who came first."""

    LOW = 0
    NORMAL = 10
    HIGH = 20


@dataclass(frozen=True)
class Rules:
    """Limits of a queue.

    Attributes:
        max_queued_pages: pages of all jobs that are queued or running.
        max_queued_pages_per_tenant: the same of one tenant; None for no limit.
        max_running_per_tenant: jobs of one tenant that run at the same time; None for no limit.
        lease_seconds: how long a worker may be silent before another one goes on with its job.
        max_crashes: crashes without progress after which a job is dead.
        retention_seconds: how long a job is kept after its end.
    """

    max_queued_pages: int
    max_queued_pages_per_tenant: int | None
    max_running_per_tenant: int | None
    lease_seconds: float
    max_crashes: int
    retention_seconds: float

    @property
    def alone_from_crashes(self) -> int:
        """Crashes from which on a job runs alone on its worker: then its crash kills no other.

        The second, or the last one before a job is dead, so that no job is dead that never was
        alone. With one crash allowed there is none before.
        """
        return min(2, max(1, self.max_crashes - 1))


@dataclass(frozen=True)
class NewJob:
    """A job that is to be queued.

    Attributes:
        id: chosen by the caller, who has stored the documents under it; never used before.
        track: workers of this track may take it.
        pages: number of pages, which counts against the limits.
        payload: what the worker needs to know; JSON with its own `version`.
        body_sha256: digest of all that the client sent, to compare with an earlier request that had
            the same idempotency key.
        idempotency_key: chosen by the client, unique per tenant; None when it sent none.
        saved: pages (index, ref, sha256) that need no more work from the beginning.
    """

    id: str
    tenant: str
    priority: Priority
    track: str
    pages: int
    payload: Mapping[str, Any]
    body_sha256: str
    idempotency_key: str | None = None
    saved: tuple[tuple[int, str, str], ...] = ()


@dataclass(frozen=True)
class Failure:
    """Why a job failed, as clients are told: a code of `errors.py` and a sentence."""

    code: str
    detail: str


@dataclass(frozen=True)
class Job:
    """A job as it stands. All times are the database's.

    Attributes:
        pages: number of pages.
        pages_done: how many of them are saved.
        result: what `finish` was given; None before.
        crashes: crashes of workers since a page was last saved.
        expires_at: when it will be forgotten; None while it is queued or running.
    """

    id: str
    tenant: str
    priority: Priority
    track: str
    state: State
    pages: int
    pages_done: int
    payload: Mapping[str, Any]
    result: Mapping[str, Any] | None
    failure: Failure | None
    crashes: int
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    expires_at: datetime | None


@dataclass(frozen=True)
class SavedPage:
    """A page that needs no more work.

    Attributes:
        index: position in the document, from 0.
        ref: name of the object that holds it.
        sha256: digest of that object.
        order: position in the order in which the job's pages were saved, from 0.
    """

    index: int
    ref: str
    sha256: str
    order: int


@dataclass(frozen=True)
class Claim:
    """The right to work on a job until the lease ends.

    Attributes:
        owner: names this claim, never one before or after it. Each write shows it.
        saved: indexes of the pages that are saved already.
        is_exclusive: whether the worker shall take no other job until this one has ended.
    """

    job: Job
    owner: str
    saved: frozenset[int]
    is_exclusive: bool = False


@dataclass(frozen=True)
class Pulse:
    """What a worker hears when it gives a sign of life.

    Attributes:
        lost: owners whose claim is no longer theirs: they stop at once.
        cancelled: owners whose job somebody cancelled: they stop and say so by `release`.
    """

    lost: frozenset[str]
    cancelled: frozenset[str]


@dataclass(frozen=True)
class Backlog:
    """How much waits on one track.

    Attributes:
        oldest_seconds: how long the oldest queued job has waited; 0 when none waits.
    """

    track: str
    queued_jobs: int
    queued_pages: int
    running_jobs: int
    running_pages: int
    oldest_seconds: float

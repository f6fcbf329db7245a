"""What a queue promises."""

from collections.abc import Collection, Sequence
from typing import Protocol

from docparser_runtime.queue.values import (
    Backlog,
    Claim,
    Failure,
    Job,
    NewJob,
    Pulse,
    SavedPage,
    State,
)


class LostClaim(Exception):  # noqa: N818 (it is no fault)
    """The claim is no longer its owner's: nothing was written."""


class Submitting(Protocol):
    """What the doors need: used by every process that takes requests."""

    async def submit(self, job: NewJob) -> Job:
        """Queue `job` and return it, once it is safe on disk.

        Returns the earlier job of the same tenant instead, when that had the same idempotency key
        and the same body.

        Raises:
            IdempotencyKeyReused: that job had another body.
            TaskQueueFull: the queue has no room for so many pages.
            TenantLimit: the tenant's part of it has none.
            QueueUnavailable: the database does not answer. Should the answer alone be lost, the
                job is queued; the same call then returns it.
        """
        ...

    async def check_room(self, tenant: str, pages: int = 1) -> None:
        """Return when `submit` would find room for so many pages; raises as it does."""
        ...

    async def get(self, job_id: str, tenant: str) -> Job | None:
        """Return the job; None when this tenant has no such job, or no longer."""
        ...

    async def is_expired(self, job_id: str, tenant: str) -> bool:
        """Return whether this tenant had the job, which was forgotten as its time was over."""
        ...

    async def rerun(self, job_id: str) -> Job | None:
        """Queue a job anew that is done or dead, all its pages to be read again; None if gone.

        One that waits or runs already is left as it is. For results that were damaged in the
        store, and for dead jobs whose cause is mended.
        """
        ...

    async def ahead(self, job_id: str) -> int:
        """Return how many queued jobs of the track come before this queued one."""
        ...

    async def list(self, tenant: str, after: str | None, limit: int) -> Sequence[Job]:
        """Return the tenant's jobs, newest first, those older than the job `after` only."""
        ...

    async def pages(self, job_id: str, since: int = 0) -> Sequence[SavedPage]:
        """Return the saved pages whose `order` is `since` or more, in that order."""
        ...

    async def cancel(self, job_id: str, tenant: str) -> Job | None:
        """Cancel a job that is queued or running; return it as it then stands.

        A running job's state changes once its worker has stopped. None: as for `get`.
        """
        ...

    async def backlog(self) -> Sequence[Backlog]:
        """Return how much waits on each track that has jobs."""
        ...

    async def pages_per_second(self, seconds: float) -> float:
        """Return how fast pages of jobs were read that were done within the last so many seconds.

        Jobs of all tracks and tenants count.
        """
        ...

    async def changes(self, since: dict[str, int]) -> dict[str, int]:
        """Return the version of each job of `since` whose version differs from the one there.

        A job's version is raised by every write to it that anybody can see, and never falls; a job
        that is gone has version -1.
        """
        ...

    async def wait_for_change(self, timeout_seconds: float, heard: int | None = None) -> int:
        """Return soon after a job's state or pages have changed, at the latest after this time.

        Returns how many changes were heard so far. Who passes what the last call returned misses
        no change that came between.
        """
        ...

    async def requeue(self, job_id: str) -> Job | None:
        """Queue a job that is dead or failed once more; its pages stay. None: no such job is."""
        ...


class Working(Protocol):
    """What workers need."""

    async def claim(self, tracks: Collection[str], *, alone: bool) -> Claim | None:
        """Return the next job for a worker of these tracks; None when there is none.

        Args:
            tracks: tracks of which the worker takes jobs.
            alone: whether this worker has no other job. A job over which workers have crashed
                `Rules.alone_from_crashes` times since its last progress is given to such a worker
                only. Its claim is exclusive.
        """
        ...

    async def pulse(self, owners: Collection[str]) -> Pulse:
        """Renew the leases of these claims, and tell which are lost or cancelled."""
        ...

    async def save_pages(self, claim: Claim, pages: Sequence[tuple[int, str, str]]) -> None:
        """Note that pages (index, ref, sha256) need no more work; those known already stay.

        Raises:
            LostClaim: somebody else has the job.
        """
        ...

    async def forget_pages(self, claim: Claim) -> None:
        """Have all pages of the job read again, as what is stored of some is damaged.

        Raises as `save_pages` does.
        """
        ...

    async def finish(
        self,
        claim: Claim,
        result: dict[str, object],
        pages: Sequence[tuple[int, str, str]] = (),
    ) -> State:
        """End the job as done, with its last pages, or as cancelled if that was asked meanwhile.

        Returns as what it ended. Who did not hear the answer may call this and `fail` once more.
        Raises as `save_pages` does.
        """
        ...

    async def fail(self, claim: Claim, failure: Failure) -> State:
        """End the job as failed, or as cancelled as `finish` does. Raises as `save_pages` does."""
        ...

    async def release(self, claim: Claim) -> None:
        """Give the job back, with no crash counted: queued again, or cancelled if that was asked.

        Raises as `save_pages` does.
        """
        ...

    async def wait_for_work(self, timeout_seconds: float, heard: int | None = None) -> int:
        """Return soon after there may be a job to claim; else as `wait_for_change` does."""
        ...

    async def wait_for_change(self, timeout_seconds: float, heard: int | None = None) -> int:
        """Return as `wait_for_change` of `Submitting` does."""
        ...

    async def alone_wait_seconds(self, track: str) -> float:
        """Return how long a job has waited for a worker that is alone; 0 when none does.

        A worker that always has other jobs would never get to it, and so takes no others for a
        while when this grows long.
        """
        ...

    async def reap(self) -> Sequence[State]:
        """Take jobs from workers that are silent; return the state that each is in now.

        Each such job counts a crash and is queued again, or is dead (or cancelled, if that was
        asked). After an outage of the database nobody loses a job before a healthy lease's time.

        To be called several times per lease, by any number of processes: when nobody has called it
        for half a lease, the database is held to have been away.
        """
        ...

    async def retrack(self, known: Collection[str], tracks: Sequence[str]) -> int:
        """Give jobs that wait for a track which is not `known` these tracks, one each.

        Returns how many got one: the oldest do, and no more than there are `tracks`. Their turn
        stays as it was, in the new track.
        """
        ...

    async def expire(self, limit: int) -> Sequence[str]:
        """Forget jobs whose time is over; return their ids, at most `limit`.

        Their objects are to be deleted by the caller. Their ids are remembered as expired.
        """
        ...


class Queue(Submitting, Working, Protocol):
    """Both sides of a queue, as a process has them that takes requests and works."""

"""One writer at a time: a Lease, judged by the monotonic clock of each process.

The official client has an elector too; it judges by the wall clock, which may
jump, gives no fence for a write that is about to be sent, and keeps the lease
until it runs out when the process ends in order. Timing as in client-go: a
leader stops writing before anyone else may take over.
"""

import asyncio
import copy
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import structlog

from docparser_operator.cluster import Cluster
from docparser_operator.errors import ApiError, ConflictError, NotFoundError, UnavailableError
from docparser_operator.kinds import LEASE, Manifest, Ref

log = structlog.get_logger(__name__)

MICRO_TIME = "%Y-%m-%dT%H:%M:%S.%fZ"


@dataclass(frozen=True)
class LeaseTiming:
    """Durations in seconds.

    Attributes:
        duration: silence of the leader after which another process takes over.
        renew_deadline: silence after which the leader itself stops writing; less than duration.
        retry: pause between two looks at the Lease.
    """

    duration: int = 10
    renew_deadline: float = 7.0
    retry: float = 2.0


class Elector:
    """Takes and keeps a Lease.

    Args:
        cluster: where the Lease is.
        ref: the Lease.
        identity: name of this process, unique in the cluster.
        timing: durations.
        monotonic: returns seconds that never jump.
    """

    def __init__(
        self,
        cluster: Cluster,
        ref: Ref,
        identity: str,
        timing: LeaseTiming,
        monotonic: Callable[[], float],
    ) -> None:
        self._cluster = cluster
        self._ref = ref
        self._identity = identity
        self._timing = timing
        self._monotonic = monotonic
        self._renewed_at: float | None = None
        self._seen: tuple[Any, float] | None = None
        self._lease: Manifest | None = None

    def leads(self) -> bool:
        """Return whether this process may write now."""
        if self._renewed_at is None:
            return False
        return self._monotonic() - self._renewed_at < self._timing.renew_deadline

    async def run(self, lead: Callable[[], Any]) -> None:
        """Run the coroutine function `lead` whenever this process leads, until cancelled."""
        task: asyncio.Task[None] | None = None
        try:
            while True:
                await self.look()
                if self.leads() and task is None:
                    log.info("leading", identity=self._identity)
                    task = asyncio.create_task(lead())
                if task is not None and (task.done() or not self.leads()):
                    log.warning("no longer leading", identity=self._identity)
                    await _ended(task)
                    task = None
                await asyncio.sleep(self._timing.retry)
        finally:
            if task is not None:
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task
            await self._release()

    async def look(self) -> None:
        """Look at the Lease once, and take or renew it if that is allowed."""
        try:
            # An answer that comes later would be of no use.
            async with asyncio.timeout(self._timing.renew_deadline):
                await self._take()
        except ConflictError:
            self._seen = None  # somebody was faster; look again
        except (ApiError, UnavailableError, TimeoutError) as error:
            log.warning("lease not renewed", error=str(error) or "no answer in time")

    async def _take(self) -> None:
        asked_at = self._monotonic()
        lease = await self._read()
        if not self._may_take(lease):
            self._renewed_at = None
            return
        self._lease = await self._write(self._mine(lease), exists=lease is not None)
        self._renewed_at = asked_at

    async def _read(self) -> Manifest | None:
        try:
            return await self._cluster.get(self._ref)
        except NotFoundError:
            return None

    def _may_take(self, lease: Manifest | None) -> bool:
        """Return whether the Lease is ours, free, or was silent for its whole duration."""
        spec = (lease or {}).get("spec", {})
        holder = spec.get("holderIdentity")
        if not holder or holder == self._identity:
            return True
        record = (holder, spec.get("renewTime"))
        if self._seen is None or self._seen[0] != record:
            self._seen = (record, self._monotonic())
            return False
        duration = spec.get("leaseDurationSeconds") or self._timing.duration
        return self._monotonic() - self._seen[1] > duration

    def _mine(self, lease: Manifest | None) -> Manifest:
        """Return the Lease with this process as its holder."""
        now = datetime.now(UTC).strftime(MICRO_TIME)
        result = copy.deepcopy(lease) or {
            "apiVersion": LEASE.api_version,
            "kind": LEASE.kind,
            "metadata": {"name": self._ref.name, "namespace": self._ref.namespace},
        }
        spec = result.setdefault("spec", {})
        if spec.get("holderIdentity") != self._identity:
            spec["acquireTime"] = now
            spec["leaseTransitions"] = spec.get("leaseTransitions", 0) + bool(lease)
        spec["holderIdentity"] = self._identity
        spec["leaseDurationSeconds"] = self._timing.duration
        spec["renewTime"] = now
        return result

    async def _write(self, lease: Manifest, *, exists: bool) -> Manifest:
        write = self._cluster.replace if exists else self._cluster.create
        return await write(LEASE, self._ref.namespace, lease)

    async def _release(self) -> None:
        """Give the Lease back, so that the next process need not wait for its end."""
        if not self.leads() or self._lease is None:
            return
        self._renewed_at = None
        lease = copy.deepcopy(self._lease)
        lease["spec"]["holderIdentity"] = ""
        with suppress(ApiError, UnavailableError):
            await self._cluster.replace(LEASE, self._ref.namespace, lease)


async def _ended(task: asyncio.Task[None]) -> None:
    """End `task`; an error of its own ends this process too."""
    if not task.done():
        task.cancel()
    with suppress(asyncio.CancelledError):
        await task

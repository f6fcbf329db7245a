"""Carries a plan out: each write with its precondition, none that would change nothing."""

from collections.abc import Callable

from docparser_api.deployment import ObjectMeta

from docparser_operator.applied import AppliedObjects
from docparser_operator.cluster import Cluster
from docparser_operator.errors import NameTakenError, NotFoundError, NotLeaderError
from docparser_operator.kinds import Manifest, Ref, ref_of
from docparser_operator.observed import Observed
from docparser_operator.ownership import Ownership, ownership
from docparser_operator.plan import Plan
from docparser_operator.store import Store


class Writer:
    """Writes children.

    Args:
        cluster: where to.
        store: learns of every answer, so that the next look sees our own writes.
        may_write: whether this process still is the leader.
    """

    def __init__(self, cluster: Cluster, store: Store, may_write: Callable[[], bool]) -> None:
        self._cluster = cluster
        self._store = store
        self._may_write = may_write
        self._applied = AppliedObjects()

    async def carry_out(self, owner: ObjectMeta, observed: Observed, plan: Plan) -> None:
        """Apply and delete in the plan's order; the first failure ends it.

        Raises:
            ApiError, UnavailableError: the API server refused or was away.
            NameTakenError: a foreign object bears a name of ours.
            NotLeaderError: another process may be writing.
        """
        present = {ref_of(manifest): manifest for manifest in observed.manifests}
        for manifest in plan.apply:
            await self._apply(owner, manifest, present.get(ref_of(manifest)))
        for ref in plan.delete:
            if ref in present:
                await self._delete(owner, ref, present[ref])

    async def _apply(self, owner: ObjectMeta, manifest: Manifest, live: Manifest | None) -> None:
        ref = ref_of(manifest)
        if live is not None and self._applied.holds(ref, manifest, live):
            return
        if live is None or ownership(live, owner) is not Ownership.OURS:
            # Our view is filtered by label and may be old: ask before touching a name.
            live = await self._uncached(ref)
        if live is not None and ownership(live, owner) is Ownership.FOREIGN:
            raise NameTakenError(f"{ref.kind.kind} {ref.name}")
        self._check_leadership()
        body = _with_precondition(manifest, live)
        answer = await self._cluster.apply(body, force=live is not None)
        self._store.put(answer)
        self._applied.record(ref, manifest, answer)

    async def _delete(self, owner: ObjectMeta, ref: Ref, live: Manifest) -> None:
        if ownership(live, owner) is not Ownership.OURS or "deletionTimestamp" in live["metadata"]:
            return
        self._check_leadership()
        metadata = live["metadata"]
        try:
            await self._cluster.delete(ref, metadata["uid"], metadata["resourceVersion"])
        except NotFoundError:
            self._store.remove(live)
        self._applied.forget(ref)

    async def _uncached(self, ref: Ref) -> Manifest | None:
        try:
            return await self._cluster.get(ref)
        except NotFoundError:
            return None

    def _check_leadership(self) -> None:
        if not self._may_write():
            raise NotLeaderError


def _with_precondition(manifest: Manifest, live: Manifest | None) -> Manifest:
    """Return `manifest` so that it applies only to `live` as we know it."""
    if live is None:
        return manifest
    known = {key: live["metadata"][key] for key in ("uid", "resourceVersion")}
    return {**manifest, "metadata": {**manifest["metadata"], **known}}

"""All writes about a DocParserDeployment: each with its precondition, none that changes nothing."""

from collections import defaultdict
from collections.abc import Callable
from typing import Any

import structlog
from docparser_api.deployment import ObjectMeta

from docparser_operator import kinds
from docparser_operator.applied import AppliedObjects
from docparser_operator.cluster import Cluster
from docparser_operator.errors import (
    ApiError,
    ConflictError,
    NameTakenError,
    NotFoundError,
    NotLeaderError,
)
from docparser_operator.kinds import Key, Manifest, Ref, ref_of
from docparser_operator.observed import Observed
from docparser_operator.ownership import Ownership, has_foreign_template, ownership
from docparser_operator.plan import Plan
from docparser_operator.store import Store

log = structlog.get_logger(__name__)


class Writer:
    """Writes children, status and Events.

    Args:
        cluster: where to.
        store: learns of every answer, so that the next look sees our own writes.
        may_write: whether this process still is the leader.
    """

    def __init__(self, cluster: Cluster, store: Store, may_write: Callable[[], bool]) -> None:
        self._cluster = cluster
        self._store = store
        self._may_write = may_write
        self._applied: defaultdict[Key, AppliedObjects] = defaultdict(AppliedObjects)

    def forget(self, key: Key) -> None:
        """Drop what is remembered of a DocParserDeployment that is gone."""
        self._applied.pop(key, None)

    async def carry_out(self, owner: ObjectMeta, observed: Observed, plan: Plan) -> None:
        """Apply and delete in the plan's order; the first failure ends it.

        Raises:
            ApiError, UnavailableError: the API server refused or was away.
            NameTakenError: a foreign object bears a name of ours.
            NotLeaderError: another process may be writing.
        """
        for ref in plan.missing:
            await self._look_for(owner, ref)
        present = {ref_of(manifest): manifest for manifest in observed.manifests}
        for manifest in plan.apply:
            if (ref := ref_of(manifest)).kind == kinds.HTTP_ROUTE:
                await self._replace_route(manifest)
            elif ref.kind == kinds.POD:
                await self._mark(manifest)
            else:
                await self._apply(owner, manifest, present.get(ref))
        for ref in plan.delete:
            if ref in present:
                await self._delete(owner, ref, present[ref])

    async def patch_status(self, owner: ObjectMeta, patch: dict[str, Any]) -> bool:
        """Merge `patch` into the status of `owner`; return whether `owner` still exists."""
        ref = Ref(kinds.DOC_PARSER, owner.namespace, owner.name)
        self._check_leadership()
        try:
            answer = await self._cluster.patch_status(ref, owner.resource_version, patch)
        except NotFoundError:
            self._forget(ref)
            return False
        except ConflictError:
            await self._refresh(ref)
            raise
        self._store.put(answer)
        return True

    async def send(self, event: Manifest) -> None:
        """Create an Event. Its loss is no reason to fail: the condition says the same."""
        self._check_leadership()
        try:
            await self._cluster.create(kinds.EVENT, event["metadata"]["namespace"], event)
        except ApiError as error:
            log.debug("event not written", status=error.status)

    async def _apply(self, owner: ObjectMeta, manifest: Manifest, live: Manifest | None) -> None:
        ref, applied = ref_of(manifest), self._applied[Key(owner.namespace, owner.name)]
        if live is not None and applied.holds(ref, manifest, live):
            return
        if live is None or ownership(live, owner) is not Ownership.OURS:
            # Our view is filtered by label and may be old: ask before touching a name.
            await self._check_name(owner, ref, live)
        self._check_leadership()
        try:
            answer = await self._cluster.apply(
                _with_precondition(manifest, live), force=live is not None
            )
        except ConflictError:
            await self._refresh(ref)
            raise
        if ref.kind == kinds.DEPLOYMENT and has_foreign_template(answer):
            # Server-side apply leaves what others added; a revision's pods are exactly its own.
            body = {**answer, "spec": manifest["spec"]}
            answer = await self._cluster.replace(ref.kind, ref.namespace, body)
        self._store.put(answer)
        applied.record(ref, manifest, answer)

    async def _replace_route(self, manifest: Manifest) -> None:
        """Write a route of somebody else's, as it was read a moment ago but for its weights."""
        self._check_leadership()
        ref = ref_of(manifest)
        await self._cluster.replace(ref.kind, ref.namespace, manifest)

    async def _mark(self, manifest: Manifest) -> None:
        """Mark a pod. Without it another pod goes, which is no reason to keep both."""
        self._check_leadership()
        try:
            self._store.put(await self._cluster.apply(manifest, force=True))
        except ApiError as error:
            log.warning("a pod is not marked", pod=str(ref_of(manifest)), status=error.status)

    async def _delete(self, owner: ObjectMeta, ref: Ref, live: Manifest) -> None:
        if ownership(live, owner) is not Ownership.OURS:
            return
        if "deletionTimestamp" in live["metadata"]:
            if ref.kind in kinds.OPTIONAL:
                await self._refresh(ref)  # no watch tells of its end if the kind came late
            return
        self._check_leadership()
        metadata = live["metadata"]
        try:
            await self._cluster.delete(ref, metadata["uid"], metadata["resourceVersion"])
        except NotFoundError:
            self._forget(ref)
        except ConflictError:
            await self._refresh(ref)
            raise
        self._applied[Key(owner.namespace, owner.name)].forget(ref)

    async def _look_for(self, owner: ObjectMeta, ref: Ref) -> None:
        """See to it that no object of ours bears the name `ref` without our knowing."""
        found = await self._read(ref)
        if found is not None and ownership(found, owner) is Ownership.OURS:
            self._learn(ref, found)
            raise ConflictError(409, f"{ref} was not known")

    async def _check_name(self, owner: ObjectMeta, ref: Ref, live: Manifest | None) -> None:
        """See to it that the object `ref` is what the plan took it for, absent or an orphan.

        Raises:
            NameTakenError: it is somebody else's.
            ConflictError: it is another than `live`, so the plan was made on a wrong view.
        """
        found = await self._read(ref)
        if found is not None and ownership(found, owner) is Ownership.FOREIGN:
            raise NameTakenError(f"{ref.kind.kind} {ref.name}")
        if _version(found) != _version(live):
            self._learn(ref, found)
            raise ConflictError(409, f"{ref} is not as it was known")
        if live is not None:
            await self._check_owner(owner)

    async def _check_owner(self, owner: ObjectMeta) -> None:
        """See to it that `owner` may adopt: its deletion may have made the orphan in question."""
        ref = Ref(kinds.DOC_PARSER, owner.namespace, owner.name)
        found = await self._read(ref)
        metadata = found["metadata"] if found else {}
        if metadata.get("uid") != owner.uid or "deletionTimestamp" in metadata:
            self._learn(ref, found)
            raise ConflictError(409, f"{ref} is being deleted")

    async def _refresh(self, ref: Ref) -> None:
        """Learn what `ref` is now, since the watch may be late or silent."""
        self._learn(ref, await self._read(ref))

    def _learn(self, ref: Ref, found: Manifest | None) -> None:
        if found is None:
            self._forget(ref)
        else:
            self._store.put(found)

    async def _read(self, ref: Ref) -> Manifest | None:
        try:
            return await self._cluster.get(ref)
        except NotFoundError:
            return None

    def _forget(self, ref: Ref) -> None:
        if (known := self._store.get(ref)) is not None:
            self._store.remove(known)

    def _check_leadership(self) -> None:
        if not self._may_write():
            raise NotLeaderError


def _version(manifest: Manifest | None) -> tuple[str, str] | None:
    metadata = manifest["metadata"] if manifest else None
    return (metadata["uid"], metadata["resourceVersion"]) if metadata else None


def _with_precondition(manifest: Manifest, live: Manifest | None) -> Manifest:
    """Return `manifest` so that it applies only to `live` as we know it."""
    if live is None:
        return manifest
    known = {key: live["metadata"][key] for key in ("uid", "resourceVersion")}
    return {**manifest, "metadata": {**manifest["metadata"], **known}}

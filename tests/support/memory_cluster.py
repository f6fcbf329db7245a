"""An API server in memory, as far as the operator uses one, with faults on request.

It keeps resourceVersions, uids and generations, merges applied manifests and
checks preconditions as the real one does: `conformance` holds both to the same
expectations. Controllers are in `memory_controllers`.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from docparser_api import names
from docparser_operator.clock import timestamp
from docparser_operator.errors import ApiError, ConflictError, NotFoundError
from docparser_operator.kinds import (
    CONTROLLER_REVISION,
    DEPLOYMENT,
    DISRUPTION_BUDGET,
    DOC_PARSER,
    Kind,
    Listing,
    Manifest,
    Ref,
    ref_of,
)
from support.fake_clock import FakeClock
from support.memory_faults import AFTER, BEFORE, Change, Fault, Write
from support.merging import merged, patched

Manifests = list[Manifest]

FIRST_VERSION = 100
_WITH_GENERATION = {DEPLOYMENT, DOC_PARSER, DISRUPTION_BUDGET}


@dataclass
class MemoryCluster:
    """Implements the protocol `Cluster`; the other public methods are for users and controllers.

    Attributes:
        writes: every writing call of the operator.
        changes: every change, for watches.
        faults: what happens at which write, counted from 1 over the whole life.
        refuse: returns the error with which a write is refused, or None.
        unserved: kinds that this cluster does not know.
        on_change: called after every change, for invariants.
    """

    clock: FakeClock
    objects: dict[Ref, Manifest] = field(default_factory=dict)
    writes: list[Write] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    faults: dict[int, Fault] = field(default_factory=dict)
    refuse: Callable[[str, Ref], ApiError | None] = lambda _verb, _ref: None
    unserved: set[Kind] = field(default_factory=set)
    on_change: Callable[[], None] = lambda: None
    version: int = FIRST_VERSION
    _applied: dict[str, Manifest] = field(default_factory=dict)
    _uids: int = 0

    # What the operator calls.

    async def get(self, ref: Ref) -> Manifest:
        return _sent(self._existing(ref))

    async def list(self, kind: Kind, namespace: str | None, selector: str = "") -> Listing:
        self._check_served(kind)
        wanted = dict(pair.split("=") for pair in selector.split(",") if pair)
        items = [
            _sent(manifest)
            for ref, manifest in self.objects.items()
            if ref.kind == kind
            and namespace in {None, ref.namespace}
            and wanted.items() <= manifest["metadata"].get("labels", {}).items()
        ]
        return Listing(items, self.version)

    async def apply(self, manifest: Manifest, *, force: bool) -> Manifest:
        ref = ref_of(manifest)
        return self._write("apply", ref, lambda: self._apply(ref, manifest, force=force))

    async def delete(self, ref: Ref, uid: str, resource_version: str) -> None:
        def action() -> Manifest:
            live = self._existing(ref)
            known = {"uid": uid, "resourceVersion": resource_version}
            _check_preconditions(live, known)
            self.remove(ref)
            return live

        self._write("delete", ref, action)

    async def patch_status(self, ref: Ref, resource_version: str, status: Manifest) -> Manifest:
        def action() -> Manifest:
            live = self._existing(ref)
            _check_preconditions(live, {"resourceVersion": resource_version})
            return self._store(ref, {**live, "status": patched(live.get("status", {}), status)})

        return self._write("status", ref, action)

    async def create(self, kind: Kind, namespace: str, manifest: Manifest) -> Manifest:
        ref = Ref(kind, namespace, manifest["metadata"]["name"])

        def action() -> Manifest:
            if ref in self.objects:
                raise ConflictError(409, f"{ref} already exists")
            return self._store(ref, manifest)

        return self._write("create", ref, action)

    async def replace(self, kind: Kind, namespace: str, manifest: Manifest) -> Manifest:
        ref = Ref(kind, namespace, manifest["metadata"]["name"])

        def action() -> Manifest:
            _check_preconditions(self._existing(ref), manifest["metadata"])
            return self._store(ref, manifest)

        return self._write("replace", ref, action)

    # What users and controllers call.

    def submit(self, manifest: Manifest) -> Manifest:
        """Create an object, or give an existing one this spec, as `kubectl apply` does."""
        ref = ref_of(manifest)
        live = self.objects.get(ref, {})
        metadata = {**live.get("metadata", {}), **manifest["metadata"]}
        return self._store(ref, {**live, **_sent(manifest), "metadata": metadata})

    def edit(self, ref: Ref, patch: Manifest) -> Manifest:
        """Merge `patch` into an object; null removes a field."""
        return self._store(ref, patched(self._existing(ref), patch))

    def remove(self, ref: Ref) -> None:
        """Make an object cease to exist."""
        gone = self.objects.pop(ref)
        self.version += 1
        metadata = {**gone["metadata"], "resourceVersion": str(self.version)}
        self.changes.append(Change(ref, {**gone, "metadata": metadata}, deleted=True))
        self._applied.pop(gone["metadata"]["uid"], None)
        self.on_change()

    def of_kind(self, kind: Kind) -> Manifests:
        """Return all objects of a kind, by name."""
        # Names are compared, not Kinds: this is called more often than anything else.
        name = kind.plural
        found = [manifest for ref, manifest in self.objects.items() if ref.kind.plural == name]
        return sorted(found, key=lambda manifest: str(manifest["metadata"]["name"]))

    def _write(self, verb: str, ref: Ref, action: Callable[[], Manifest]) -> Manifest:
        fault = self.faults.pop(len(self.writes) + 1, None)
        if fault in BEFORE:
            self.writes.append(Write(verb, ref, changed=False))
            raise BEFORE[fault].with_traceback(None)
        version = self.version
        try:
            if (error := self.refuse(verb, ref)) is not None:
                raise error
            answer = _sent(action())
        finally:
            self.writes.append(Write(verb, ref, changed=self.version != version))
        if fault in AFTER:
            raise AFTER[fault].with_traceback(None)
        return answer

    def _apply(self, ref: Ref, manifest: Manifest, *, force: bool) -> Manifest:
        self._check_served(ref.kind)
        live = self.objects.get(ref)
        _check_preconditions(live, manifest["metadata"])
        wanted = _sent(manifest)
        for key in ("uid", "resourceVersion"):
            wanted["metadata"].pop(key, None)
        last = self._applied.get(live["metadata"]["uid"], {}) if live else {}
        result = merged(live or {}, wanted, last)
        if live and not force and not last and result != live:
            raise ConflictError(409, "fields are owned by another manager")
        if live and ref.kind == CONTROLLER_REVISION and result["data"] != live["data"]:
            raise ApiError(422, "data: field is immutable")
        stored = self._store(ref, result)
        self._applied[stored["metadata"]["uid"]] = wanted
        return stored

    def _check_served(self, kind: Kind) -> None:
        if kind in self.unserved:
            raise NotFoundError(404, "the server could not find the requested resource")

    def _existing(self, ref: Ref) -> Manifest:
        if ref not in self.objects:
            raise NotFoundError(404, f"{ref} not found")
        return self.objects[ref]

    def _store(self, ref: Ref, manifest: Manifest) -> Manifest:
        """Store `manifest` as the next version of `ref`, unless nothing changed."""
        live = self.objects.get(ref)
        metadata: dict[str, Any] = dict(manifest["metadata"])
        if live is None:
            self._uids += 1
            metadata |= {"uid": f"uid-{self._uids}", "creationTimestamp": timestamp(self.clock())}
        else:
            metadata |= {k: live["metadata"][k] for k in ("uid", "resourceVersion")}
        if ref.kind in _WITH_GENERATION:
            same = live is not None and live["spec"] == manifest["spec"]
            before = live["metadata"]["generation"] if live else 0
            metadata["generation"] = before if same else before + 1
        result = {**manifest, "metadata": metadata}
        if result == live:
            return live
        self.version += 1
        metadata["resourceVersion"] = str(self.version)
        self.objects[ref] = result
        self.changes.append(Change(ref, result, deleted=False))
        self.on_change()
        return result


def _sent(manifest: Manifest) -> Manifest:
    """Return `manifest` as it arrives at the other side."""
    received: Manifest = json.loads(json.dumps(manifest))
    return received


def _check_preconditions(live: Manifest | None, known: Manifest) -> None:
    for key in ("uid", "resourceVersion"):
        if key in known and known[key] != (live or {"metadata": {}})["metadata"].get(key):
            raise ConflictError(409, f"the {key} does not match")


def owned_by(manifest: Manifest, uid: str) -> bool:
    """Return whether the controller of `manifest` has this uid."""
    owners = manifest["metadata"].get("ownerReferences", [])
    return any(owner.get("controller") and owner["uid"] == uid for owner in owners)


def is_operators(manifest: Manifest) -> bool:
    """Return whether the operator's watch shows `manifest`."""
    if manifest["kind"] == names.KIND:
        return True
    labels = manifest["metadata"].get("labels", {})
    return bool(labels.get(names.LABEL_MANAGED_BY) == names.MANAGER)

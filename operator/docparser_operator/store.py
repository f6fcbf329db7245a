"""The latest known version of every object that concerns us, in memory.

Fed by watch events, by answers to our own writes and by full lists; whichever
is newest wins. Kubernetes compares resourceVersions as integers since 1.35 and
has always issued them so.
"""

from collections import OrderedDict, defaultdict
from typing import Any

from docparser_api import names

from docparser_operator.kinds import DOC_PARSER, Key, Kind, Listing, Manifest, Ref, kind_of, ref_of

_REMEMBERED_DELETIONS = 10_000


class Store:
    """Objects by reference, and children by the DocParserDeployment they belong to."""

    def __init__(self) -> None:
        self._objects: dict[Ref, Manifest] = {}
        self._children: defaultdict[Key, set[Ref]] = defaultdict(set)
        # By uid, the first version at which an object would be news again: the answer to a write
        # may arrive after the watch has told of the object's end. The end may be one to the watch
        # only, which does not show an object that has lost its label.
        self._gone: OrderedDict[str, int] = OrderedDict()

    def resource(self, key: Key) -> Manifest | None:
        """Return the DocParserDeployment, if it is known."""
        return self.get(Ref(DOC_PARSER, key.namespace, key.name))

    def get(self, ref: Ref) -> Manifest | None:
        """Return the object, if it is known."""
        return self._objects.get(ref)

    def children(self, key: Key) -> list[Manifest]:
        """Return the objects that belong to a DocParserDeployment."""
        return [self._objects[ref] for ref in self._children.get(key, ())]

    def of_kind(self, kind: Kind, namespace: str) -> list[Manifest]:
        """Return the objects of a kind in a namespace."""
        return [m for r, m in self._objects.items() if (r.kind, r.namespace) == (kind, namespace)]

    def resources(self) -> list[Key]:
        """Return all DocParserDeployments."""
        return [Key(r.namespace, r.name) for r in self._objects if r.kind == DOC_PARSER]

    def put(self, manifest: Manifest) -> set[Key]:
        """Remember `manifest`; return the keys that this is news for."""
        ref, version = ref_of(manifest), _version(manifest)
        known = self._objects.get(ref)
        if known is not None and _version(known) >= version:
            return set()
        if version < self._gone.get(manifest["metadata"]["uid"], 0):
            return set()
        concerned = self._forget(ref)
        self._objects[ref] = _trimmed(manifest)
        if (key := owner_key(manifest)) is not None:
            self._children[key].add(ref)
        return concerned | _keys(manifest)

    def remove(self, manifest: Manifest) -> set[Key]:
        """Forget `manifest` as of its version; return the keys that this is news for."""
        ref, version = ref_of(manifest), _version(manifest)
        uid = manifest["metadata"]["uid"]
        self._gone[uid] = max(version, self._gone.get(uid, 0))
        if len(self._gone) > _REMEMBERED_DELETIONS:
            self._gone.popitem(last=False)
        known = self._objects.get(ref)
        if known is None or known["metadata"]["uid"] != uid or _version(known) > version:
            return set()
        return self._forget(ref)

    def replace(self, kind: Kind, namespace: str | None, listing: Listing) -> set[Key]:
        """Make a full list the truth of its moment; return the keys that this was news for."""
        listed = {manifest["metadata"]["uid"] for manifest in listing.items}
        gone = [
            manifest
            for ref, manifest in self._objects.items()
            if ref.kind == kind
            and namespace in {None, ref.namespace}
            and manifest["metadata"]["uid"] not in listed
            and _version(manifest) <= listing.version
        ]
        concerned: set[Key] = set()
        for manifest in gone:
            concerned |= self.remove(manifest)
        for manifest in listing.items:
            concerned |= self.put(manifest)
        return concerned

    def _forget(self, ref: Ref) -> set[Key]:
        """Drop what is known of `ref`; return the keys that it belonged to."""
        manifest = self._objects.pop(ref, None)
        if manifest is None:
            return set()
        if (key := owner_key(manifest)) is not None:
            self._children[key].discard(ref)
            if not self._children[key]:
                del self._children[key]
        return _keys(manifest)


def owner_key(manifest: Manifest) -> Key | None:
    """Return the DocParserDeployment that controls the child `manifest`, else that of its label."""
    if kind_of(manifest) == DOC_PARSER:
        return None
    metadata: dict[str, Any] = manifest["metadata"]
    for owner in metadata.get("ownerReferences", []):
        group = owner["apiVersion"].partition("/")[0]
        if owner.get("controller") and (group, owner["kind"]) == (names.GROUP, names.KIND):
            return Key(metadata["namespace"], owner["name"])
    labels = metadata.get("labels", {})
    name = labels.get(names.LABEL_DEPLOYMENT) or labels.get(names.LABEL_HELPER_OF)
    return Key(metadata["namespace"], name) if name else None


def _keys(manifest: Manifest) -> set[Key]:
    """Return the DocParserDeployment that `manifest` is, or belongs to."""
    if kind_of(manifest) == DOC_PARSER:
        return {Key(manifest["metadata"]["namespace"], manifest["metadata"]["name"])}
    key = owner_key(manifest)
    return {key} if key is not None else set()


def _version(manifest: Manifest) -> int:
    return int(manifest["metadata"]["resourceVersion"])


def _trimmed(manifest: Manifest) -> Manifest:
    """Return `manifest` without managedFields, which are half of its size and never read."""
    metadata = {k: v for k, v in manifest["metadata"].items() if k != "managedFields"}
    return {**manifest, "metadata": metadata}

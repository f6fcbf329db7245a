"""The latest known version of every object that concerns us, in memory.

Fed by watch events, by answers to our own writes and by full lists; whichever
is newest wins. Kubernetes compares resourceVersions as integers since 1.35 and
has always issued them so.
"""

from collections import OrderedDict, defaultdict
from collections.abc import Iterable
from typing import Any

from docparser_api import names

from docparser_operator.kinds import DOC_PARSER, Key, Kind, Manifest, Ref, kind_of, ref_of

_REMEMBERED_DELETIONS = 10_000


class Store:
    """Objects by reference, and children by the DocParserDeployment they are labelled with."""

    def __init__(self) -> None:
        self._objects: dict[Ref, Manifest] = {}
        self._children: defaultdict[Key, set[Ref]] = defaultdict(set)
        # The answer to a write may arrive after the watch has told of the object's end.
        self._deleted: OrderedDict[str, None] = OrderedDict()

    def resource(self, key: Key) -> Manifest | None:
        """Return the DocParserDeployment, if it is known."""
        return self._objects.get(Ref(DOC_PARSER, key.namespace, key.name))

    def children(self, key: Key) -> list[Manifest]:
        """Return the objects labelled as belonging to a DocParserDeployment."""
        return [self._objects[ref] for ref in self._children.get(key, ())]

    def resources(self) -> list[Key]:
        """Return all DocParserDeployments."""
        return [Key(r.namespace, r.name) for r in self._objects if r.kind == DOC_PARSER]

    def put(self, manifest: Manifest) -> bool:
        """Remember `manifest`; return whether it is news."""
        metadata = manifest["metadata"]
        ref = ref_of(manifest)
        known = self._objects.get(ref)
        if metadata["uid"] in self._deleted or (known and _version(known) >= _version(manifest)):
            return False
        self._forget(ref)
        self._objects[ref] = _trimmed(manifest)
        if (key := owner_key(manifest)) is not None:
            self._children[key].add(ref)
        return True

    def remove(self, manifest: Manifest) -> bool:
        """Forget `manifest`, unless another object bears its name by now; return whether known."""
        uid = manifest["metadata"]["uid"]
        self._deleted[uid] = None
        if len(self._deleted) > _REMEMBERED_DELETIONS:
            self._deleted.popitem(last=False)
        ref = ref_of(manifest)
        known = self._objects.get(ref)
        if known is None or known["metadata"]["uid"] != uid:
            return False
        self._forget(ref)
        return True

    def replace(self, kind: Kind, manifests: Iterable[Manifest]) -> set[Key]:
        """Make a full list of `kind` the truth; return the keys that this was news for."""
        listed = {ref_of(manifest): manifest for manifest in manifests}
        gone = [m for ref, m in self._objects.items() if ref.kind == kind and ref not in listed]
        changed = [manifest for manifest in gone if self.remove(manifest)]
        changed += [manifest for manifest in listed.values() if self.put(manifest)]
        return {key for manifest in changed if (key := key_of(manifest)) is not None}

    def _forget(self, ref: Ref) -> None:
        manifest = self._objects.pop(ref, None)
        key = owner_key(manifest) if manifest else None
        if key is None:
            return
        self._children[key].discard(ref)
        if not self._children[key]:
            del self._children[key]


def key_of(manifest: Manifest) -> Key | None:
    """Return the DocParserDeployment that `manifest` is, or belongs to by its label."""
    if kind_of(manifest) == DOC_PARSER:
        return Key(manifest["metadata"]["namespace"], manifest["metadata"]["name"])
    return owner_key(manifest)


def owner_key(manifest: Manifest) -> Key | None:
    """Return the DocParserDeployment that `manifest` is labelled with."""
    labels: dict[str, Any] = manifest["metadata"].get("labels", {})
    name = labels.get(names.LABEL_DEPLOYMENT)
    return Key(manifest["metadata"]["namespace"], name) if name else None


def _version(manifest: Manifest) -> int:
    return int(manifest["metadata"]["resourceVersion"])


def _trimmed(manifest: Manifest) -> Manifest:
    """Return `manifest` without managedFields, which are half of its size and never read."""
    metadata = {k: v for k, v in manifest["metadata"].items() if k != "managedFields"}
    return {**manifest, "metadata": metadata}

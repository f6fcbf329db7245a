"""The operator's watches on a `MemoryCluster`."""

from collections.abc import Collection
from dataclasses import dataclass, field

from docparser_operator.kinds import DOC_PARSER, WATCHED_CHILDREN, Key
from docparser_operator.store import Store
from support.memory_cluster import MemoryCluster, is_operators

_WATCHED = {DOC_PARSER, *WATCHED_CHILDREN}


@dataclass
class MemoryWatch:
    """Hands changes to a store in their order, filtered by label as the API server filters."""

    cluster: MemoryCluster
    position: int = 0
    _shown: set[str] = field(default_factory=set)

    def pending(self) -> int:
        """Return how many changes have not been delivered."""
        return len(self.cluster.changes) - self.position

    def deliver(
        self, store: Store, limit: int | None = None, lost: Collection[int] = ()
    ) -> set[Key]:
        """Deliver at most `limit` changes but those at the places `lost`; return the keys woken."""
        woken: set[Key] = set()
        changes = self.cluster.changes[self.position :][:limit]
        self.position += len(changes)
        for place, change in enumerate(changes):
            if change.ref.kind not in _WATCHED:
                continue
            uid = change.manifest["metadata"]["uid"]
            shown = not change.deleted and is_operators(change.manifest)
            if not shown and uid not in self._shown:
                continue
            (self._shown.add if shown else self._shown.discard)(uid)
            if place not in lost:
                woken |= (store.put if shown else store.remove)(change.manifest)
        return woken

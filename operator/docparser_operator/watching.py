"""Keeps the store true to the cluster: events as they come, a full list now and then."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress

import structlog

from docparser_operator.cluster import Cluster
from docparser_operator.errors import ApiError, NotFoundError, UnavailableError
from docparser_operator.handlers import CHILD_SELECTOR
from docparser_operator.kinds import (
    DOC_PARSER,
    OPTIONAL,
    WATCHED_CHILDREN,
    Key,
    Kind,
    Listing,
    Manifest,
)
from docparser_operator.metrics import Metrics
from docparser_operator.store import Store
from docparser_operator.workqueue import WorkQueue

log = structlog.get_logger(__name__)

SETTLE_SECONDS = 2.0
AT_ANY_TIME = 2**63
"""A resourceVersion after all others: what is not known has no objects, however new."""


class Watching:
    """Feeds the store.

    A watch that broke and listed anew says nothing of what was deleted meanwhile; therefore a
    first listing asks for a full comparison.

    Args:
        cluster: where full lists come from.
        store: what is fed.
        queue: gets each key that something new is known about; new specs are preferred.
        namespaces: namespaces to list; empty for all.
        metrics: where events are counted.

    Attributes:
        unknown: kinds that the cluster did not know when it was listed last.
        synced: set once everything has been listed.
    """

    def __init__(
        self,
        cluster: Cluster,
        store: Store,
        queue: WorkQueue[Key],
        namespaces: Sequence[str],
        metrics: Metrics,
    ) -> None:
        self._cluster = cluster
        self._store = store
        self._queue = queue
        self._namespaces: Sequence[str | None] = namespaces or [None]
        self._metrics = metrics
        self._relisted = asyncio.Event()
        self.unknown: frozenset[Kind] = frozenset()
        self.synced = asyncio.Event()

    def on_event(self, kind: Kind, event_type: str | None, manifest: Manifest) -> None:
        """Take one watch event in."""
        self._metrics.watch_events.labels(kind.kind).inc()
        if event_type is None:
            self._relisted.set()
        learn = self._store.remove if event_type == "DELETED" else self._store.put
        wake = self._queue.prefer if kind == DOC_PARSER else self._queue.add
        for key in learn(manifest):
            wake(key)

    def compare(self) -> None:
        """Ask for a full comparison soon."""
        self._relisted.set()

    async def full_sync(self) -> None:
        """List everything and wake up whatever differs from what was known."""
        for kind in (DOC_PARSER, *WATCHED_CHILDREN):
            selector = "" if kind == DOC_PARSER else CHILD_SELECTOR
            for namespace in self._namespaces:
                listing = await self._listing(kind, namespace, selector)
                for key in self._store.replace(kind, namespace, listing):
                    self._queue.add(key)
        self.synced.set()
        self._metrics.last_sync.set_to_current_time()

    async def _listing(self, kind: Kind, namespace: str | None, selector: str) -> Listing:
        """Return all objects of a kind; none of one that the cluster does not know."""
        try:
            listing = await self._cluster.list(kind, namespace, selector)
        except NotFoundError:
            if kind not in OPTIONAL:
                raise
            self.unknown |= {kind}
            return Listing([], AT_ANY_TIME)
        self.unknown -= {kind}
        return listing

    async def run(self, resync_seconds: float) -> None:
        """Compare fully at once, after each first listing of a watch, every `resync_seconds`."""
        while True:
            self._relisted.clear()
            try:
                await self.full_sync()
            except (ApiError, UnavailableError) as error:
                log.warning("full sync failed", error=str(error))
                self._relisted.set()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._relisted.wait(), resync_seconds)
            await asyncio.sleep(SETTLE_SECONDS)

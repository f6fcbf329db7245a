"""Looks at what no watch tells of: pods' metrics, the GPUs of the cluster, a route."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import structlog
from docparser_api import names
from docparser_api.deployment import DocParserDeployment

from docparser_operator import kinds
from docparser_operator.analysis.scraper import Scraper
from docparser_operator.analysis.subject import Subject
from docparser_operator.autoscaling.subject import ScalingSubject
from docparser_operator.cache import cached, place_of
from docparser_operator.capacity import Capacity, capacity_of
from docparser_operator.cluster import Cluster
from docparser_operator.errors import ApiError, NotFoundError
from docparser_operator.kinds import Key, Manifest, Ref
from docparser_operator.listener import Listener
from docparser_operator.meter import Meter
from docparser_operator.store import Store, owner_key
from docparser_operator.surroundings import Surroundings

log = structlog.get_logger(__name__)

CAPACITY_AGE_SECONDS = 10.0
"""How old a view of nodes and pods may be: all objects that roll out share it."""


class Senses(Protocol):
    """What a reconcile asks about the world."""

    async def surroundings(self, parser: DocParserDeployment) -> Surroundings:
        """Return what matters for `parser` now."""
        ...

    def attend(self, key: Key, subject: Subject | None) -> None:
        """Measure `subject` from now on; None ends it."""
        ...

    def gauge(self, key: Key, subject: ScalingSubject | None) -> None:
        """Measure the load of `subject` from now on; None ends it."""
        ...


@dataclass(frozen=True)
class Instruments:
    """What looks at pods.

    Attributes:
        scraper: measures pods.
        meter: measures their load.
        listener: hears at once that it grows.
    """

    scraper: Scraper
    meter: Meter
    listener: Listener


class ClusterSenses:
    """Asks the API server and the pods.

    Args:
        cluster: the API server.
        store: what is known of other objects.
        instruments: look at pods.
        clock: seconds that never go back.
        namespace: where this operator runs.
    """

    def __init__(
        self,
        cluster: Cluster,
        store: Store,
        instruments: Instruments,
        clock: Callable[[], float],
        namespace: str,
    ) -> None:
        self._cluster = cluster
        self._store = store
        self._scraper = instruments.scraper
        self._meter = instruments.meter
        self._listener = instruments.listener
        self._clock = clock
        self._namespace = namespace
        self._capacity: tuple[float, Capacity | None] | None = None

    async def surroundings(self, parser: DocParserDeployment) -> Surroundings:
        """Return what matters for `parser` now.

        Raises:
            UnavailableError: the API server is away.
        """
        key = Key(parser.metadata.namespace, parser.metadata.name)
        return Surroundings(
            evidence=self._scraper.evidence(key),
            capacity=await self._known_capacity() if parser.spec.resources.gpu.count else None,
            route=await self._route(parser),
            access_modes=await self._access_modes(parser),
            neighbours=neighbours(self._store, key) if parser.spec.model.weights else frozenset(),
            has_keda=await self._has_keda(parser),
            operator_namespace=self._namespace if parser.spec.network_policy else None,
            load=self._meter.load(key),
        )

    def attend(self, key: Key, subject: Subject | None) -> None:
        """Measure `subject` from now on; None ends it."""
        self._scraper.watch(key, subject)

    def gauge(self, key: Key, subject: ScalingSubject | None) -> None:
        """Measure the load of `subject` from now on; None ends it."""
        self._meter.watch(key, subject)
        self._listener.watch(key, subject if subject is not None and subject.decides else None)

    async def _known_capacity(self) -> Capacity | None:
        """Return the capacity of the cluster; None where we may not look at it."""
        now = self._clock()
        if self._capacity is None or now - self._capacity[0] > CAPACITY_AGE_SECONDS:
            self._capacity = now, await self._counted()
        return self._capacity[1]

    async def _counted(self) -> Capacity | None:
        try:
            nodes = await self._cluster.list(kinds.NODE, None)
            pods = await self._cluster.list(kinds.POD, None)
        except ApiError as error:
            log.warning("GPUs are not counted", status=error.status)
            return None
        return capacity_of(nodes.items, pods.items)

    async def _has_keda(self, parser: DocParserDeployment) -> bool:
        """Return whether the cluster knows ScaledObjects, if `parser` is to have one."""
        rules = parser.spec.autoscaling
        if rules is None or rules.mode != "KEDA":
            return False
        try:
            mine = f"{names.LABEL_DEPLOYMENT}={parser.metadata.name}"
            await self._cluster.list(kinds.SCALED_OBJECT, parser.metadata.namespace, mine)
        except NotFoundError:
            return False
        return True

    async def _access_modes(self, parser: DocParserDeployment) -> frozenset[str] | None:
        """Return the access modes of the claim that caches weights."""
        place = place_of(parser.spec.model.weights)
        if place is None:
            return None
        try:
            claim = await self._cluster.get(Ref(kinds.CLAIM, parser.metadata.namespace, place[0]))
        except ApiError:
            return None  # a pod that lacks it says so itself
        return frozenset(claim["spec"].get("accessModes", []))

    async def _route(self, parser: DocParserDeployment) -> Manifest | None:
        gateway = parser.spec.service.gateway
        if gateway is None:
            return None
        ref = Ref(kinds.HTTP_ROUTE, parser.metadata.namespace, gateway.http_route)
        try:
            return await self._cluster.get(ref)
        except NotFoundError:
            return None
        except ApiError as error:
            log.warning("a route cannot be read", route=str(ref), status=error.status)
            return None


def neighbours(store: Store, key: Key) -> frozenset[tuple[str, str]]:
    """Return claim and directory of the weights that others than `key` keep in its namespace."""
    revisions = store.of_kind(kinds.CONTROLLER_REVISION, key.namespace)
    shapes = [
        revision.get("data", {}).get("shape", {})
        for revision in revisions
        if owner_key(revision) != key
    ]
    return frozenset(found for shape in shapes if (found := cached(shape)) is not None)

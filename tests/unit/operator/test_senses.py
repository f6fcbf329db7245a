"""What a reconcile is told of the world around an object."""

import asyncio
import json

import pytest
from docparser_operator.analysis.scraper import Scraper, Subject
from docparser_operator.errors import ApiError, UnavailableError
from docparser_operator.kinds import (
    CLAIM,
    HTTP_ROUTE,
    NODE,
    POD,
    SCALED_OBJECT,
    Key,
    Kind,
    Listing,
    Manifest,
    Ref,
)
from docparser_operator.listener import Listener
from docparser_operator.meter import Meter
from docparser_operator.metrics import Metrics
from docparser_operator.revisions import controller_revision, wanted_revision
from docparser_operator.senses import CAPACITY_AGE_SECONDS, ClusterSenses, Instruments
from docparser_operator.store import Store
from docparser_operator.surroundings import Surroundings
from support.builders import ParserBuilder, a_parser
from support.fake_clock import FakeClock
from support.memory_cluster import MemoryCluster
from unit.operator.analysis.pods import FakeFetch

KEY = Key("default", "reader")
PLAIN = a_parser()
ON_GPU = PLAIN.with_spec(resources={"gpu": {"count": 1}})
ROUTED = PLAIN.with_spec(service={"gateway": {"httpRoute": "front"}})
WEIGHTS = {
    "version": "v1",
    "source": {"s3": {"bucket": "models"}},
    "manifest": {"sha256": "a" * 64},
    "cache": {"persistentVolumeClaim": {"claimName": "cache"}},
}
CACHED = PLAIN.with_spec(model={"weights": WEIGHTS})

PROMETHEUS = {"prometheusAddress": "http://prometheus:9090"}
KEDA = PLAIN.with_spec(autoscaling={"mode": "KEDA", "maxReplicas": 2, "keda": PROMETHEUS})


class Narrow(MemoryCluster):
    """A cluster of which not everything may be looked at; it counts what is listed."""

    refused: ApiError | UnavailableError | None = None
    listed: int = 0

    async def get(self, ref: Ref) -> Manifest:
        if self.refused is not None:
            raise self.refused
        return await super().get(ref)

    async def list(self, kind: Kind, namespace: str | None, selector: str = "") -> Listing:
        self.listed += 1
        if self.refused is not None:
            raise self.refused
        return await super().list(kind, namespace, selector)


class Place:
    """A cluster with senses for it."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        self.cluster = Narrow(self.clock)
        self.store = Store()
        clock = self.clock.monotonic
        self.looked = asyncio.Event()
        self.scraper = Scraper(lambda _key: self.looked.set(), clock, FakeFetch(), None, Metrics())
        self.meter = Meter(lambda _key: None, clock, self.clock, FakeFetch(), Metrics())
        self.listener = Listener(self.meter.load, self.meter.hurry, clock, FakeFetch())
        instruments = Instruments(self.scraper, self.meter, self.listener)
        self.senses = ClusterSenses(self.cluster, self.store, instruments, clock, "operators")

    def add(self, kind: Kind, name: str, **body: Manifest) -> None:
        """Put an object there, of whatever kind."""
        self.cluster.objects[Ref(kind, KEY.namespace, name)] = {"metadata": {"name": name}, **body}

    async def around(self, parser: ParserBuilder) -> Surroundings:
        return await self.senses.surroundings(parser.built())


async def test_what_does_not_matter_is_not_looked_at() -> None:
    place = Place()
    assert await place.around(PLAIN) == Surroundings()
    assert place.cluster.listed == 0


async def test_network_policies_are_told_where_the_operator_is() -> None:
    around = await Place().around(PLAIN.with_spec(networkPolicy={}))
    assert around == Surroundings(operator_namespace="operators")


async def test_gpus_are_counted_once_in_a_while_for_all_objects() -> None:
    place = Place()
    place.add(NODE, "a", spec={}, status={"allocatable": {"nvidia.com/gpu": "2"}})
    first = (await place.around(ON_GPU)).capacity
    assert first is not None
    assert [node["metadata"]["name"] for node in first.nodes] == ["a"]
    limits = {"resources": {"limits": {"nvidia.com/gpu": "1"}}}
    place.add(POD, "p", spec={"nodeName": "a", "containers": [limits]})
    place.clock.advance(CAPACITY_AGE_SECONDS)
    assert (await place.around(ON_GPU.named("other"))).capacity is first
    place.clock.advance(1)
    later = (await place.around(ON_GPU)).capacity
    assert later is not None
    assert later.taken == {("a", "nvidia.com/gpu"): 1}


async def test_nodes_that_may_not_be_looked_at_are_asked_for_once_in_a_while_too() -> None:
    place = Place()
    place.cluster.refused = ApiError(403, "forbidden")
    assert (await place.around(ON_GPU)).capacity is None
    assert (await place.around(ON_GPU)).capacity is None
    assert place.cluster.listed == 1


async def test_a_route_is_read_where_one_is_named() -> None:
    place = Place()
    assert (await place.around(ROUTED)).route is None
    place.add(HTTP_ROUTE, "front", spec={"rules": []})
    found = (await place.around(ROUTED)).route
    assert found is not None
    assert found["metadata"]["name"] == "front"
    place.cluster.refused = ApiError(403, "forbidden")
    assert (await place.around(ROUTED)).route is None


async def test_keda_is_looked_for_where_it_is_to_be_used() -> None:
    place = Place()
    assert (await place.around(KEDA)).has_keda
    place.cluster.unserved.add(SCALED_OBJECT)
    assert not (await place.around(KEDA)).has_keda
    place.cluster.unserved.clear()
    assert not (await place.around(PLAIN)).has_keda


@pytest.mark.parametrize(
    "parser", [ON_GPU, ROUTED, CACHED, KEDA], ids=["nodes", "route", "claim", "KEDA"]
)
async def test_an_api_server_that_is_away_is_no_finding(parser: ParserBuilder) -> None:
    place = Place()
    place.cluster.refused = UnavailableError("connection refused")
    with pytest.raises(UnavailableError):
        await place.around(parser)


async def test_the_claim_of_a_cache_tells_who_may_share_it() -> None:
    place = Place()
    assert (await place.around(CACHED)).access_modes is None
    place.add(CLAIM, "cache", spec={"accessModes": ["ReadWriteOnce"]})
    assert (await place.around(CACHED)).access_modes == frozenset({"ReadWriteOnce"})


async def test_weights_of_others_in_the_namespace_are_known() -> None:
    place = Place()
    for number, (parser, version) in enumerate(
        [(CACHED, "v1"), (CACHED.named("other"), "v2"), (CACHED.named("far", "elsewhere"), "v3")]
    ):
        weighed = parser.with_spec(model={"weights": {**WEIGHTS, "version": version}}).built()
        record = controller_revision(weighed.metadata, wanted_revision(weighed, {}))
        record["metadata"] |= {"uid": f"u{number}", "resourceVersion": str(number + 1)}
        place.store.put(json.loads(json.dumps(record)))
    around = await place.around(CACHED)
    assert around.neighbours == {("cache", f"v2-{'a' * 16}")}
    assert (await place.around(PLAIN)).neighbours == frozenset()


async def test_what_is_attended_to_is_measured_until_that_ends() -> None:
    place = Place()
    looks = asyncio.create_task(place.scraper.run())
    place.senses.attend(KEY, Subject("a canary", (), 10))
    assert (await place.around(PLAIN)).evidence is None, "nobody has looked yet"
    await asyncio.wait_for(place.looked.wait(), timeout=5)
    assert (await place.around(PLAIN)).evidence is not None
    assert (await place.around(PLAIN.named("other"))).evidence is None
    place.senses.attend(KEY, None)
    assert (await place.around(PLAIN)).evidence is None
    looks.cancel()

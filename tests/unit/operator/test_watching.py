import asyncio

import pytest
from docparser_operator.errors import ApiError, NotFoundError
from docparser_operator.kinds import (
    DOC_PARSER,
    SCALED_OBJECT,
    SERVICE,
    Key,
    Kind,
    Listing,
    Manifest,
    ref_of,
)
from docparser_operator.metrics import Metrics
from docparser_operator.store import Store
from docparser_operator.watching import SETTLE_SECONDS, Watching
from docparser_operator.workqueue import WorkQueue
from support.builders import a_parser
from support.fake_clock import FakeClock
from support.memory_cluster import MemoryCluster

pytestmark = pytest.mark.looptime
KEY = Key("default", "reader")
PARSER = a_parser()


class CountingCluster(MemoryCluster):
    """Counts listings, and refuses them on request."""

    lists = 0
    namespaces: set[str | None]
    away = False

    async def list(self, kind: Kind, namespace: str | None, selector: str = "") -> Listing:
        if self.away:
            raise ApiError(503, "away")
        self.lists += kind == DOC_PARSER
        self.namespaces = {*getattr(self, "namespaces", ()), namespace}
        return await super().list(kind, namespace, selector)


class Line(WorkQueue[Key]):
    """A queue that keeps in mind what was added to it."""

    def __init__(self) -> None:
        super().__init__()
        self.added: list[Key] = []

    def add(self, key: Key) -> None:
        self.added.append(key)
        super().add(key)


class Desk:
    def __init__(self, namespaces: tuple[str, ...] = ()) -> None:
        self.cluster = CountingCluster(FakeClock())
        self.store = Store()
        self.queue = Line()
        self.watching = Watching(self.cluster, self.store, self.queue, namespaces, Metrics())

    @property
    def woken(self) -> list[Key]:
        return self.queue.added

    def submit(self) -> Manifest:
        return self.cluster.submit(PARSER.manifest())


async def test_an_event_is_kept_and_wakes_its_object() -> None:
    desk = Desk()
    body = desk.submit()
    desk.watching.on_event(DOC_PARSER, "ADDED", body)
    desk.watching.on_event(DOC_PARSER, "MODIFIED", body)
    assert desk.woken == [KEY]
    assert desk.store.resource(KEY) is not None


async def test_a_new_spec_comes_before_news_of_children() -> None:
    desk = Desk()
    for number in range(3):
        desk.queue.add(Key("default", f"other-{number}"))
    desk.watching.on_event(DOC_PARSER, "ADDED", desk.submit())
    assert await desk.queue.take() == KEY


async def test_an_end_wakes_the_owner() -> None:
    desk = Desk()
    child = desk.cluster.submit(
        {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": {
                "name": "reader",
                "namespace": "default",
                "labels": {"docparser.dev/deployment": "reader"},
            },
        }
    )
    desk.watching.on_event(SERVICE, "ADDED", child)
    desk.cluster.remove(ref_of(child))
    desk.watching.on_event(SERVICE, "DELETED", desk.cluster.changes[-1].manifest)
    assert desk.woken == [KEY, KEY]
    assert desk.store.children(KEY) == []


async def test_a_full_list_finds_what_no_event_told() -> None:
    desk = Desk()
    desk.submit()
    assert not desk.watching.synced.is_set()
    await desk.watching.full_sync()
    assert desk.watching.synced.is_set()
    assert desk.woken == [KEY]
    desk.cluster.remove(ref_of(desk.submit()))
    await desk.watching.full_sync()
    assert desk.woken == [KEY, KEY]
    assert desk.store.resources() == []


async def test_only_the_given_namespaces_are_listed() -> None:
    desk = Desk(("a", "b"))
    desk.submit()
    await desk.watching.full_sync()
    assert desk.cluster.namespaces == {"a", "b"}
    assert desk.woken == []


async def test_what_the_cluster_does_not_know_has_no_objects() -> None:
    desk = Desk()
    made = desk.cluster.submit(
        {
            "apiVersion": SCALED_OBJECT.api_version,
            "kind": SCALED_OBJECT.kind,
            "metadata": {
                "name": "reader",
                "namespace": "default",
                "labels": {
                    "app.kubernetes.io/managed-by": "docparser-operator",
                    "docparser.dev/deployment": "reader",
                },
            },
        }
    )
    await desk.watching.full_sync()
    assert desk.watching.unknown == set()
    assert desk.store.children(KEY) == [made]
    desk.cluster.unserved.add(SCALED_OBJECT)
    await desk.watching.full_sync()
    assert desk.watching.unknown == {SCALED_OBJECT}
    assert desk.store.children(KEY) == []
    desk.cluster.unserved = {SERVICE}
    with pytest.raises(NotFoundError):
        await desk.watching.full_sync()


async def run_for(desk: Desk, seconds: float) -> None:
    task = asyncio.create_task(desk.watching.run(resync_seconds=100))
    await asyncio.sleep(seconds)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def test_everything_is_compared_at_once_and_then_now_and_then() -> None:
    desk = Desk()
    await run_for(desk, 350)
    assert desk.cluster.lists == 4


async def test_a_watch_that_lists_anew_calls_for_a_comparison() -> None:
    desk = Desk()
    task = asyncio.create_task(run_for(desk, 50))
    await asyncio.sleep(10)
    body = desk.submit()
    for _ in range(5):
        desk.watching.on_event(DOC_PARSER, None, body)
    await task
    assert desk.cluster.lists == 2


async def test_a_comparison_that_fails_is_made_again() -> None:
    desk = Desk()
    desk.cluster.away = True
    task = asyncio.create_task(run_for(desk, 50))
    await asyncio.sleep(10)
    assert not desk.watching.synced.is_set()
    desk.cluster.away = False
    await asyncio.sleep(2 * SETTLE_SECONDS)
    assert desk.watching.synced.is_set()
    await task

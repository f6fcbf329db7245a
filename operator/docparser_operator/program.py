"""Wires the operator together and runs it until it is told to stop."""

import asyncio
import os
import signal
import threading
import time
from contextlib import suppress
from typing import Any

import structlog
from docparser_api.deployment import parse_status

from docparser_operator import handlers, health, schema_gate
from docparser_operator.analysis.fetch import HttpFetch
from docparser_operator.analysis.promql import Server
from docparser_operator.analysis.scraper import Scraper
from docparser_operator.clock import utc_now
from docparser_operator.cluster import KubernetesCluster, connect
from docparser_operator.controller import Controller
from docparser_operator.deployment_metrics import DeploymentMetrics, Known
from docparser_operator.errors import ApiError, UnavailableError
from docparser_operator.kinds import (
    DOC_PARSER,
    LEASE,
    OPTIONAL,
    WATCHED_CHILDREN,
    Key,
    Kind,
    Manifest,
    Ref,
)
from docparser_operator.leadership import Elector, LeaseTiming
from docparser_operator.listener import Listener
from docparser_operator.meter import Meter
from docparser_operator.metrics import Metrics
from docparser_operator.reconcile import Reconciler
from docparser_operator.schema_gate import SchemaGate
from docparser_operator.senses import ClusterSenses, Instruments
from docparser_operator.settings import Settings, identity
from docparser_operator.store import Store
from docparser_operator.watching import Watching
from docparser_operator.writer import Writer

log = structlog.get_logger(__name__)

SYNC_RETRY_SECONDS = 1.0
OPTIONAL_SECONDS = 10.0
"""Pause before it is tried again to watch what the cluster may lack."""


class Program:
    """One running operator.

    Args:
        settings: its settings.
        cluster: the API server.
        metrics: its metrics; `cluster` counts its writes there.
    """

    def __init__(self, settings: Settings, cluster: KubernetesCluster, metrics: Metrics) -> None:
        self._settings = settings
        self._metrics = metrics
        self._store = Store()
        lease = Ref(LEASE, settings.namespace, settings.lease)
        self._elector = Elector(cluster, lease, identity(), LeaseTiming(), time.monotonic)
        writer = Writer(cluster, self._store, self._elector.leads)
        self._scraper = Scraper(self._wake, time.monotonic, HttpFetch(), _server(settings), metrics)
        self._meter = Meter(self._wake, time.monotonic, utc_now, HttpFetch(), metrics)
        self._listener = Listener(self._meter.load, self._meter.hurry, time.monotonic, HttpFetch())
        instruments = Instruments(self._scraper, self._meter, self._listener)
        senses = ClusterSenses(
            cluster, self._store, instruments, time.monotonic, settings.namespace
        )
        reconciler = Reconciler(self._store, writer, senses, utc_now)
        self._controller = Controller(reconciler.reconcile, metrics, settings.workers)
        self._watching = Watching(
            cluster, self._store, self._controller.queue, settings.watch_namespaces, metrics
        )
        self._schema = SchemaGate(cluster, schema_gate.tell, settings.resync_seconds)
        self._tasks: list[asyncio.Task[Any]] = []
        metrics.registry.register(DeploymentMetrics(self._told))

    async def run(self, stop: asyncio.Event) -> None:
        """Run until `stop` is set or a part of the program fails.

        Raises:
            Exception: whatever ended the part that failed.
        """
        app = health.application(self._metrics.registry, self._alive, self._ready)
        runner = await health.serve(app, self._settings.port)
        end_of_watch = threading.Event()
        self._tasks = [
            asyncio.create_task(self._watch(end_of_watch), name="watch"),
            asyncio.create_task(self._watch_optional(), name="optional"),
            asyncio.create_task(self._watching.run(self._settings.resync_seconds), name="sync"),
            asyncio.create_task(self._schema.run(), name="schema"),
            asyncio.create_task(self._elect(), name="elector"),
            asyncio.create_task(self._scraper.run(), name="scraper"),
            asyncio.create_task(self._meter.run(), name="meter"),
            asyncio.create_task(self._listener.run(), name="listener"),
        ]
        stopped = asyncio.create_task(stop.wait(), name="stop")
        try:
            await asyncio.wait([*self._tasks, stopped], return_when=asyncio.FIRST_COMPLETED)
        finally:
            stopped.cancel()
            end_of_watch.set()
            await runner.cleanup()
            await _ended(self._tasks)
            await self._scraper.close()
            await self._meter.close()
            await self._listener.close()

    async def _watch(self, end: threading.Event) -> None:
        """Watch until `end` is set; first wait for the CRD, since kopf looks for it only once."""
        await self._watching.synced.wait()
        namespaces = self._settings.watch_namespaces
        kinds = [k for k in (DOC_PARSER, *WATCHED_CHILDREN) if k not in OPTIONAL]
        await asyncio.to_thread(handlers.watch, self._from_thread(), kinds, namespaces, end)

    async def _watch_optional(self) -> None:
        """Watch what the cluster may lack, while it has it: a watch ends when its kind does."""
        await self._watching.synced.wait()
        while True:
            known = [kind for kind in OPTIONAL if kind not in self._watching.unknown]
            if known:
                await self._watched_to_its_end(known)
                self._watching.compare()
            await asyncio.sleep(OPTIONAL_SECONDS)

    async def _watched_to_its_end(self, kinds: list[Kind]) -> None:
        end, namespaces = threading.Event(), self._settings.watch_namespaces
        try:
            await asyncio.to_thread(handlers.watch, self._from_thread(), kinds, namespaces, end)
        except Exception as error:  # noqa: BLE001 (kopf raises whatever its client has met)
            log.warning("a watch has ended", kinds=[k.kind for k in kinds], error=str(error))
        finally:
            end.set()

    async def _elect(self) -> None:
        """Take part in the election: with fields unknown to the cluster, every write loses them."""
        await self._schema.fits.wait()
        await self._elector.run(self._lead)

    def _from_thread(self) -> handlers.OnEvent:
        """Return the event handler in a form that another thread may call."""
        loop = asyncio.get_running_loop()

        def on_event(kind: Kind, event_type: str | None, manifest: Manifest) -> None:
            with suppress(RuntimeError):  # the loop is closed: nobody waits for events any more
                loop.call_soon_threadsafe(self._watching.on_event, kind, event_type, manifest)

        return on_event

    def _wake(self, key: Key) -> None:
        self._controller.queue.add(key)

    async def _lead(self) -> None:
        """Start from what the cluster says now, not from what an event said before."""
        self._metrics.leader.set(1)
        try:
            await self._synced()
            self._controller.queue.clear()
            for key in self._store.resources():
                self._controller.queue.add(key)
            await self._controller.run()
        finally:
            self._metrics.leader.set(0)
            self._scraper.clear()
            self._meter.clear()
            self._listener.clear()

    async def _synced(self) -> None:
        """Return once everything was listed; an API server that is away comes back."""
        while True:
            try:
                return await self._watching.full_sync()
            except (ApiError, UnavailableError) as error:
                log.warning("first sync failed", error=str(error))
                await asyncio.sleep(SYNC_RETRY_SECONDS)

    def _told(self) -> Known:
        """Yield what this process tells of each object: nothing while another one leads."""
        for key in self._store.resources() if self._elector.leads() else ():
            if (body := self._store.resource(key)) is not None:
                yield key, parse_status(body)

    def _ready(self) -> bool:
        return self._watching.synced.is_set() and self._schema.fits.is_set()

    def _alive(self) -> bool:
        return all(not task.done() for task in self._tasks)


def _server(settings: Settings) -> Server | None:
    """Return the Prometheus server of the settings, if there is one."""
    if settings.prometheus_address is None:
        return None
    return Server(settings.prometheus_address, settings.prometheus_token_file)


async def _ended(tasks: list[asyncio.Task[Any]]) -> None:
    """End the tasks and raise the first error that one of them ended with."""
    for task in tasks:
        task.cancel()
    results = await asyncio.gather(*tasks, return_exceptions=True)
    for result in results:
        if isinstance(result, Exception):
            raise result


async def main(settings: Settings) -> None:
    """Run the operator with `settings` until SIGTERM or SIGINT."""
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    metrics = Metrics()
    cluster = await connect(metrics.count_write, os.environ.get("KUBECONFIG"))
    try:
        await Program(settings, cluster, metrics).run(stop)
    finally:
        await cluster.close()

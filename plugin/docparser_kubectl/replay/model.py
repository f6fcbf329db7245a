"""A deployment under an autoscaler, event by event. Pure: time is what the events say."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from functools import partial
from heapq import heappop, heappush
from typing import Final

from docparser_kubectl.replay.backlog import Backlog
from docparser_kubectl.replay.fleet import Fleet, Pod, Stretch
from docparser_kubectl.replay.traces import Arrival, Trace
from docparser_kubectl.replay.values import Autoscaler, Drain, Setup, View

MOST_SECONDS_AFTER: Final = 7 * 86_400.0
"""Time after the end of a trace at which a run is given up where documents still wait."""
_HAIR: Final = 1e-6
"""Seconds that are errors of arithmetic."""


@dataclass(frozen=True)
class Wait:
    """How long pages waited that were read one after the other."""

    seconds: float
    pages: int


@dataclass(frozen=True)
class Sample:
    """How it stood after the autoscaler had looked."""

    at: float
    asked: int
    ready: int
    queued_pages: int


@dataclass(frozen=True)
class Run:
    """What became of a trace.

    Attributes:
        waits: of all pages that were read.
        starts: pods that were asked for, without those of the beginning.
        gpu_seconds: for which GPUs were held.
        seconds: length: that of the trace, or until all was read.
        unread_pages: that nobody read before the run was given up.
    """

    waits: tuple[Wait, ...]
    starts: int
    gpu_seconds: float
    seconds: float
    unread_pages: int
    samples: tuple[Sample, ...]


class _Order(IntEnum):
    """What comes first at the same moment: the autoscaler sees what has happened."""

    READ = 0
    READY = 1
    ARRIVED = 2
    LOOK = 3


def play(trace: Trace, setup: Setup, autoscaler: Autoscaler, begin: int) -> Run:
    """Return what becomes of `trace`, where `begin` pods serve at the beginning."""
    return _Play(trace, setup, autoscaler).run(begin)


class _Play:
    """One run."""

    def __init__(self, trace: Trace, setup: Setup, autoscaler: Autoscaler) -> None:
        self.trace, self.setup, self.autoscaler = trace, setup, autoscaler
        self.backlog, self.fleet = Backlog(), Fleet(setup.room)
        self.waits: list[Wait] = []
        self.samples: list[Sample] = []
        self.now, self.last_read_at = 0.0, 0.0
        self.starts, self.to_come = 0, len(trace.arrivals)
        self.events: list[tuple[float, _Order, int, Callable[[], None]]] = []
        self.scheduled = 0

    def run(self, begin: int) -> Run:
        """Return what becomes of the trace, where `begin` pods serve at the beginning."""
        self.fleet.ask(begin, 0.0)
        for pod in self.fleet.bind(0.0):
            pod.is_ready = True
        for arrival in self.trace.arrivals:
            self.at(arrival.at, _Order.ARRIVED, partial(self.arrive, arrival))
        self.at(0.0, _Order.LOOK, self.look_again)
        while self.goes_on(self.events[0][0]):
            self.now, _, _, happen = heappop(self.events)
            happen()
            self.begin()
        unread = self.trace.pages - sum(wait.pages for wait in self.waits)
        seconds = max(self.trace.seconds, self.now if unread else self.last_read_at)
        return Run(
            waits=tuple(self.waits),
            starts=self.starts,
            gpu_seconds=self.fleet.gpu_seconds(seconds) * self.setup.gpus,
            seconds=seconds,
            unread_pages=unread,
            samples=tuple(self.samples),
        )

    def at(self, when: float, order: _Order, happen: Callable[[], None]) -> None:
        """Let something happen later."""
        self.scheduled += 1
        heappush(self.events, (when, order, self.scheduled, happen))

    def goes_on(self, until: float) -> bool:
        """Return whether what happens at `until` still matters; the next look always comes."""
        if until <= self.trace.seconds:
            return True
        is_busy = self.backlog.pages or self.to_come or any(p.work for p in self.fleet.present)
        return bool(is_busy) and until <= self.trace.seconds + MOST_SECONDS_AFTER

    def arrive(self, arrival: Arrival) -> None:
        """Take a document in."""
        self.to_come -= 1
        self.backlog.add(arrival)
        if self.autoscaler.is_woken and not self.fleet.staying:
            self.look()

    def look_again(self) -> None:
        """Let the autoscaler look, now and every so often."""
        self.look()
        self.at(self.now + self.autoscaler.interval, _Order.LOOK, self.look_again)

    def look(self) -> None:
        """Do what the autoscaler asks for."""
        view = self.view()
        wanted = self.autoscaler.replicas(view)
        if wanted > view.asked:
            self.starts += wanted - view.asked
            self.fleet.ask(wanted - view.asked, self.now)
        for pod in self.fleet.leave(max(0, view.asked - wanted), self.now):
            self.drain(pod)
        self.bind()
        ready = sum(pod.is_ready for pod in self.fleet.present)
        self.samples.append(Sample(self.now, wanted, ready, self.backlog.pages))

    def view(self) -> View:
        """Return what can be seen at this moment."""
        staying = self.fleet.staying
        work = [stretch for pod in self.fleet.present for stretch in pod.work]
        return View(
            now=self.now,
            asked=len(staying),
            ready=sum(pod.is_ready for pod in staying),
            starting=tuple(self.now - pod.asked_at for pod in staying if not pod.is_ready),
            queued_pages=self.backlog.pages,
            running_pages=sum(stretch.pages - self.read_of(stretch) for stretch in work),
            busy_places=len(work),
            oldest_wait=self.backlog.oldest_wait(self.now),
            arrived_pages=self.backlog.arrived_pages,
            free_room=self.fleet.free_room,
        )

    def bind(self) -> None:
        """Let pods start for which there are GPUs."""
        for pod in self.fleet.bind(self.now):
            self.at(self.now + self.setup.lead_seconds, _Order.READY, partial(self.ready, pod))

    def ready(self, pod: Pod) -> None:
        """Let a pod serve, unless it has gone meanwhile."""
        pod.is_ready = pod.gone_at is None

    def begin(self) -> None:
        """Let free places take what waits: the emptiest pod first."""
        if not self.backlog.pages:
            return
        serving = [pod for pod in self.fleet.present if pod.is_ready and not pod.is_leaving]
        while pod := min(serving, key=lambda one: len(one.work), default=None):
            if len(pod.work) >= self.setup.places:
                return
            document = self.backlog.take(self.now)
            if document is None:
                return
            ends_at = self.now + document.left * self.setup.page_seconds
            stretch = Stretch(document, pod, self.now, document.left, ends_at)
            pod.work.append(stretch)
            self.at(ends_at, _Order.READ, partial(self.end, stretch, ends_at))

    def end(self, stretch: Stretch, ends_at: float) -> None:
        """Count what was read, unless the stretch was cut short after this was scheduled."""
        pod, document = stretch.pod, stretch.document
        if stretch.ends_at != ends_at or stretch not in pod.work:
            return
        pod.work.remove(stretch)
        self.last_read_at = self.now
        self.waits.append(Wait(document.waited, stretch.pages))
        document.left -= stretch.pages
        if document.left:
            self.backlog.give_back(document, self.now)
        if pod.is_leaving and not pod.work:
            self.remove(pod)

    def drain(self, pod: Pod) -> None:
        """Let a pod go once it has read what it must."""
        if not pod.work:
            self.remove(pod)
        elif self.setup.drain is Drain.GIVE_BACK:
            for stretch in pod.work:
                stretch.pages = min(stretch.pages, self.read_of(stretch) + 1)
                stretch.ends_at = stretch.began_at + stretch.pages * self.setup.page_seconds
                self.at(stretch.ends_at, _Order.READ, partial(self.end, stretch, stretch.ends_at))

    def remove(self, pod: Pod) -> None:
        """Give a pod's GPU to the next."""
        self.fleet.remove(pod, self.now)
        self.bind()

    def read_of(self, stretch: Stretch) -> int:
        """Return the pages of `stretch` that have been read."""
        return math.floor((self.now - stretch.began_at + _HAIR) / self.setup.page_seconds)

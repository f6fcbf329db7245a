"""Cluster, controllers and operator in one place, advanced step by step without an event loop."""

import copy
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any, TypeVar

from docparser_api import names
from docparser_operator.errors import ApiError, ConflictError, UnavailableError
from docparser_operator.kinds import (
    DEPLOYMENT,
    DOC_PARSER,
    POD,
    SERVICE,
    WATCHED_CHILDREN,
    Key,
    Manifest,
    Ref,
)
from docparser_operator.reconcile import Reconciler
from docparser_operator.store import Store
from docparser_operator.writer import Writer
from support.builders import ParserBuilder
from support.fake_clock import FakeClock
from support.memory_cluster import MemoryCluster
from support.memory_controllers import MemoryControllers, ready_pods
from support.memory_faults import Crash
from support.memory_senses import MemorySenses
from support.memory_watch import MemoryWatch

T = TypeVar("T")

CONFLICT_SECONDS = 1.0
BACKOFF_SECONDS = 5.0
MOST_STEPS = 3000


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """Return the result of a coroutine that never waits."""
    try:
        coroutine.send(None)
    except StopIteration as end:
        result: T = end.value
        return result
    raise AssertionError("a coroutine waits, but nothing in memory takes time")


@dataclass
class World:
    """A cluster with one operator, which is started anew when it crashes.

    Attributes:
        on_pass: called after every pass that came to its end, for invariants.
    """

    nodes: int | None = None
    clock: FakeClock = field(default_factory=FakeClock)
    crashes: int = 0
    leads: Callable[[], bool] = lambda: True
    on_pass: Callable[[], None] = lambda: None

    def __post_init__(self) -> None:
        self.cluster = MemoryCluster(self.clock)
        self.senses = MemorySenses(self.cluster)
        self.controllers = MemoryControllers(self.cluster, self.clock, self.nodes)
        self.start_operator()

    def copy(self) -> "World":
        """Return a world like this one that goes its own way; objects never change, so are shared.

        It saves most of the time of a test that begins with the same settled world again and again.
        """
        shared: list[object] = [
            *self.cluster.objects.values(),
            *self.cluster.changes,
            *self.cluster.writes,
            *self.store._objects.values(),
        ]
        return copy.deepcopy(self, {id(thing): thing for thing in shared})

    def start_operator(self) -> None:
        """Start an operator that knows only what it lists."""
        self.senses.subjects.clear()
        self.senses.gauged.clear()
        self.store = Store()
        writer = Writer(self.cluster, self.store, self.leads)
        self.reconciler = Reconciler(self.store, writer, self.senses, self.clock)
        self.watch = MemoryWatch(self.cluster)
        self.queue: dict[Key, None] = {}
        self.timers: dict[Key, float] = {}
        self.watch.deliver(Store())  # what is there already is listed, not told as news
        self.full_sync()
        self.queue |= dict.fromkeys(self.store.resources())

    def full_sync(self) -> None:
        """Compare the store with the cluster."""
        for kind in (DOC_PARSER, *WATCHED_CHILDREN):
            selector = (
                "" if kind == DOC_PARSER else "app.kubernetes.io/managed-by=docparser-operator"
            )
            if kind in self.cluster.unserved:
                continue
            listing = run(self.cluster.list(kind, None, selector))
            self.queue |= dict.fromkeys(self.store.replace(kind, None, listing))

    def apply(self, parser: ParserBuilder) -> Ref:
        """Create or change a DocParserDeployment as a user does."""
        self.cluster.submit(parser.manifest())
        return Ref(DOC_PARSER, parser.namespace, parser.name)

    def deliver(self, limit: int | None = None) -> None:
        """Deliver changes to the operator."""
        self.queue |= dict.fromkeys(self.watch.deliver(self.store, limit))

    def reconcile_next(self) -> None:
        """Let the operator take one key from its queue."""
        key = next(iter(self.queue))
        del self.queue[key]
        self.timers.pop(key, None)
        try:
            measured = self.senses.measured() | set(self.senses.gauged)
            again = run(self.reconciler.reconcile(key))
            # Whoever is looked at for the first time is looked at again once that was done.
            self.queue |= dict.fromkeys({*self.senses.measured(), *self.senses.gauged} - measured)
            self.on_pass()
        except Crash:
            self.crashes += 1
            self.start_operator()
            return
        except ConflictError:
            again = CONFLICT_SECONDS
        except (ApiError, UnavailableError):
            again = BACKOFF_SECONDS
        if again is not None:
            self.timers[key] = self.clock.monotonic() + again

    def step(self) -> bool:
        """Let the operator or, when it has nothing to do, the controllers work; or return False."""
        self.deliver()
        if self.queue:
            self.reconcile_next()
            return True
        return self.controllers.step()

    def settle(self, seconds: float = 0.0) -> None:
        """Go on until nothing happens any more, but let no more than `seconds` pass."""
        end = self.clock.monotonic() + seconds
        for _ in range(MOST_STEPS):
            if not self.step() and not self._pass_time(end):
                return
        raise AssertionError("it does not settle")

    def until(self, holds: Callable[["World"], bool], seconds: float = 0.0) -> None:
        """Go on until `holds` is true of this world."""
        end = self.clock.monotonic() + seconds
        while not holds(self):
            if not self.step() and not self._pass_time(end):
                raise AssertionError(f"never: {self.sizes()} {self.parser()['status']}")

    def _pass_time(self, end: float) -> bool:
        """Move the clock to the next moment at which something is due, or return False."""
        due = min([*self.timers.values(), *self.controllers.due()], default=end + 1)
        if due > end:
            return False
        self.clock.advance(max(0.0, due - self.clock.monotonic()))
        now = self.clock.monotonic()
        self.queue |= dict.fromkeys(key for key, at in self.timers.items() if at <= now)
        return True

    def parser(self, name: str = "reader", namespace: str = "default") -> Manifest:
        """Return a DocParserDeployment as it is."""
        return self.cluster.objects[Ref(DOC_PARSER, namespace, name)]

    def condition(self, kind: str, name: str = "reader") -> Manifest:
        """Return one of its conditions."""
        found = self.parser(name)["status"]["conditions"]
        return next(c for c in found if c["type"] == kind)

    def sizes(self) -> dict[str, int]:
        """Return the wanted pods of every Deployment, by image."""
        return {
            d["spec"]["template"]["spec"]["containers"][0]["image"]: d["spec"]["replicas"]
            for d in self.cluster.of_kind(DEPLOYMENT)
        }

    def pods(self, image: str) -> int:
        """Return how many pods of `image` exist."""
        pods = self.cluster.of_kind(POD)
        return sum(pod["spec"]["containers"][0]["image"] == image for pod in pods)

    def serving_pods(self) -> int:
        """Return how many pods of all revisions exist, those of Jobs not counted."""
        pods = self.cluster.of_kind(POD)
        return sum(names.LABEL_PURPOSE not in pod["metadata"]["labels"] for pod in pods)

    def capacity(self, name: str = "reader", namespace: str = "default") -> int:
        """Return how many pods the Service sends requests to."""
        service = self.cluster.objects.get(Ref(SERVICE, namespace, name))
        return len(ready_pods(self.cluster, service["spec"]["selector"])) if service else 0

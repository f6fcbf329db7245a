"""The workloads that every fault is tried on, and what must hold at each moment of them."""

from collections.abc import Callable
from dataclasses import dataclass

from docparser_operator.autoscaling.subject import Load
from docparser_operator.autoscaling.values import Demand
from docparser_operator.kinds import DOC_PARSER, Key, Ref
from support.builders import ParserBuilder, a_parser
from support.world import World

REPLICAS = 3
DEADLINE_SECONDS = 60
ENOUGH_SECONDS = 400.0

BASE = (
    a_parser()
    .with_image("example.org/runtime:1")
    .with_replicas(REPLICAS)
    .with_spec(probes={"startupTimeoutSeconds": 30})
    .with_rollout(progressDeadlineSeconds=DEADLINE_SECONDS)
)
NEXT = "example.org/runtime:2"
THIRD = "example.org/runtime:3"
BROKEN = "example.org/runtime:broken"


@dataclass(frozen=True)
class Scenario:
    """Something that happens to a settled DocParserDeployment.

    Attributes:
        before: what has settled when it begins; None for nothing.
        act: what happens.
        least: pods that must be able to serve at every moment.
        most: pods that may exist at any moment.
        arrange: what else there is in the world.
    """

    before: ParserBuilder | None
    act: Callable[[World, ParserBuilder], None]
    least: int = 0
    most: int = 2 * REPLICAS
    arrange: Callable[[World], None] = lambda _world: None

    def begin(self) -> World:
        """Return the world in which it is about to happen."""
        world = World()
        self.arrange(world)
        if self.before is not None:
            world.apply(self.before)
            world.settle(ENOUGH_SECONDS)
        return world

    def play(self, world: World) -> None:
        """Let it happen in `world`, to the end."""
        self.act(world, self.before or BASE)
        world.settle(ENOUGH_SECONDS)


def _apply(change: Callable[[ParserBuilder], ParserBuilder]) -> Callable[..., None]:
    return lambda world, parser: world.apply(change(parser)) and None


def _change_mind(first: str, then: str, pods: int) -> Callable[..., None]:
    """Return an act that asks for another image once the first one has so many pods."""

    def act(world: World, parser: ParserBuilder) -> None:
        world.apply(parser.with_image(first))
        world.until(lambda world: world.pods(first) >= pods, ENOUGH_SECONDS)
        world.apply(parser.with_image(then))

    return act


def _delete(world: World, parser: ParserBuilder) -> None:
    world.cluster.remove(Ref(DOC_PARSER, parser.namespace, parser.name))


def _recreate(world: World, parser: ParserBuilder) -> None:
    _delete(world, parser)
    world.apply(parser)


def _wait(pages: int) -> Callable[..., None]:
    """Return an act after which so many pages wait."""

    def act(world: World, parser: ParserBuilder) -> None:
        demand = Demand(pages, 0, 0, 0, world.clock())
        world.senses.load = Load(demand, pages_per_second=1.0)
        world.queue[Key(parser.namespace, parser.name)] = None

    return act


SCALED = BASE.with_spec(
    autoscaling={
        "minReplicas": 1,
        "maxReplicas": 5,
        "scaleDown": {"stabilizationSeconds": 0},
    }
)
IN_PLACE = BASE.in_place()
ONE = BASE.with_replicas(1).in_place()
TO_NEXT = _apply(lambda parser: parser.with_image(NEXT))
TO_BROKEN = _apply(lambda parser: parser.with_image(BROKEN))

PLAIN = {
    "create": Scenario(None, _apply(lambda parser: parser), most=REPLICAS),
    "edit with surge": Scenario(BASE, TO_NEXT, least=REPLICAS),
    "edit in place": Scenario(IN_PLACE, TO_NEXT, least=REPLICAS - 1, most=REPLICAS),
    "edit in place, two at a time": Scenario(
        BASE.in_place(2), TO_NEXT, least=REPLICAS - 2, most=REPLICAS
    ),
    "edit in place of a single pod": Scenario(ONE, TO_NEXT, most=1),
    "edit with recreate": Scenario(BASE.with_rollout(strategy="Recreate"), TO_NEXT, most=REPLICAS),
    "revert of a surge": Scenario(
        BASE, _change_mind(NEXT, "example.org/runtime:1", 3), least=REPLICAS
    ),
    "revert in place": Scenario(
        IN_PLACE, _change_mind(NEXT, "example.org/runtime:1", 2), REPLICAS - 1, REPLICAS
    ),
    "third spec in a surge": Scenario(
        BASE, _change_mind(NEXT, THIRD, 3), least=REPLICAS, most=3 * REPLICAS
    ),
    "third spec in place": Scenario(IN_PLACE, _change_mind(NEXT, THIRD, 2), REPLICAS - 1, REPLICAS),
    "third spec before the first served": Scenario(
        None, _change_mind(BROKEN, "example.org/runtime:1", 3)
    ),
    "failing surge": Scenario(BASE, TO_BROKEN, least=REPLICAS),
    "failing in place": Scenario(IN_PLACE, TO_BROKEN, least=REPLICAS - 1, most=REPLICAS),
    "failing in place of a single pod": Scenario(ONE, TO_BROKEN, most=1),
    "scale up": Scenario(BASE, _apply(lambda parser: parser.with_replicas(5)), REPLICAS, 5),
    "scale down": Scenario(BASE, _apply(lambda parser: parser.with_replicas(1)), 1, REPLICAS),
    "scale to zero": Scenario(BASE, _apply(lambda parser: parser.with_replicas(0)), 0, REPLICAS),
    "an autoscaler grows": Scenario(SCALED, _wait(pages=500), REPLICAS, 5),
    "an autoscaler shrinks": Scenario(SCALED, _wait(pages=0), 1, REPLICAS),
    "edit of the Service": Scenario(
        BASE, _apply(lambda parser: parser.with_spec(service={"port": 81})), REPLICAS, REPLICAS
    ),
    "delete": Scenario(BASE, _delete, most=REPLICAS),
    "delete and recreate": Scenario(BASE, _recreate),
    "delete and recreate in place": Scenario(IN_PLACE, _recreate),
}


class Watchman:
    """Notes at each change of a world what would break a promise."""

    def __init__(self, world: World, scenario: Scenario) -> None:
        self._world = world
        self._scenario = scenario
        self.complaints: list[str] = []
        world.cluster.on_change = self.look

    def look(self) -> None:
        """Look at pods and Service as they are now."""
        capacity, pods = self._world.capacity(), self._world.serving_pods()
        if capacity < self._scenario.least:
            self.complaints.append(f"only {capacity} pods serve")
        if pods > self._scenario.most:
            self.complaints.append(f"{pods} pods exist")

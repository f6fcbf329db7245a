"""Revisions behind a queue, and moves into it and out of it: every fault is tried on them, too."""

from collections.abc import Callable
from typing import Any

from convergence.scenarios import BASE, BROKEN, IN_PLACE, NEXT, ONE, REPLICAS, Scenario
from docparser_operator.kinds import Manifest
from support.builders import ParserBuilder
from support.memory_senses import BAD, GOOD
from support.world import World

GATEWAYS = 2
QUEUE: Manifest = {
    "databaseUrlSecretRef": {"name": "database", "key": "url"},
    "objectStore": {"url": "s3://documents/reader"},
}
STEPS: list[Manifest] = [{"setWeight": 5}, {"analysis": {"durationSeconds": 10}}]


def queued(parser: ParserBuilder, **values: Any) -> ParserBuilder:
    """Return the same behind gateways."""
    return parser.with_spec(**{"topology": "Queue", "queue": QUEUE, **values})


def direct(parser: ParserBuilder) -> ParserBuilder:
    """Return the same without gateways, its tasks where they were."""
    return queued(parser, topology="Direct")


QUEUED = queued(BASE)
CANARY = QUEUED.with_rollout(strategy="Canary", steps=STEPS)


def _applying(after: ParserBuilder) -> Callable[[World, ParserBuilder], None]:
    """Return the act of one edit."""

    def act(world: World, _: ParserBuilder) -> None:
        world.apply(after)

    return act


def move(
    before: ParserBuilder | None, after: ParserBuilder, least: int, most: int = 2 * REPLICAS
) -> Scenario:
    """Return the scenario of one edit."""
    return Scenario(before, _applying(after), least, most)


def tried(canary: ParserBuilder, *, good: bool) -> Scenario:
    """Return the scenario of an edit that goes through steps."""

    def arrange(world: World) -> None:
        world.senses.evidence = GOOD if good else BAD

    after = canary.with_image(NEXT)
    return Scenario(canary, _applying(after), GATEWAYS, arrange=arrange)


TOPOLOGIES = {
    "create with a queue": move(None, QUEUED, 0, REPLICAS),
    "into a queue": move(BASE, QUEUED, GATEWAYS),
    "into a queue, in place": move(IN_PLACE, queued(IN_PLACE), GATEWAYS, REPLICAS),
    # A plain rollout in place of a single pod leaves nobody; here gateways take what comes.
    "into a queue, in place of a single pod": move(ONE, queued(ONE), 1, 1),
    "out of a queue": move(QUEUED, direct(BASE), GATEWAYS),
    "out of a queue, in place of a single pod": move(queued(ONE), direct(ONE), 1, 1),
    "into a queue with an image that fails": move(BASE, QUEUED.with_image(BROKEN), REPLICAS),
    "edit with a queue": move(QUEUED, QUEUED.with_image(NEXT), GATEWAYS),
    "to no worker": move(QUEUED, QUEUED.with_replicas(0), GATEWAYS, REPLICAS),
    "canary with a queue": tried(CANARY, good=True),
    "canary with a queue that fails": tried(CANARY, good=False),
}

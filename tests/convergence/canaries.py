"""Rollouts with steps: the workloads that every fault is tried on, too."""

from collections.abc import Callable
from typing import Any

from convergence.scenarios import (
    BASE,
    BROKEN,
    ENOUGH_SECONDS,
    NEXT,
    REPLICAS,
    THIRD,
    Scenario,
)
from docparser_api import names
from docparser_api.golden import ClassScores, Comparison, GoldenReport, line_of
from docparser_operator.analysis.evidence import Evidence
from docparser_operator.kinds import DOC_PARSER, HTTP_ROUTE, Manifest, Ref
from support.builders import ParserBuilder
from support.memory_senses import BAD, GOOD
from support.world import World

STEPS: list[Manifest] = [
    {"setWeight": 34},
    {"pause": {"durationSeconds": 20}},
    {"analysis": {"durationSeconds": 10}},
]
BY_HAND: list[Manifest] = [{"setWeight": 34}, {"pause": {}}, {"setWeight": 50}, {"pause": {}}]
CANARY = BASE.with_rollout(strategy="Canary", steps=STEPS)
HAND = BASE.with_rollout(strategy="Canary", steps=BY_HAND)
BLUE_GREEN = BASE.with_rollout(strategy="BlueGreen", steps=STEPS[1:2])
ROUTED = CANARY.with_spec(service={"gateway": {"httpRoute": "reader"}})
GPU = CANARY.with_spec(resources={"gpu": {"count": 1}})
GOLDEN = CANARY.with_rollout(analysis={"goldenDocuments": {"configMapRef": {"name": "golden"}}})
CANARY_PODS = 2
ROUTE: Manifest = {
    "apiVersion": HTTP_ROUTE.api_version,
    "kind": HTTP_ROUTE.kind,
    "metadata": {"name": "reader", "namespace": "default"},
    "spec": {"rules": [{"backendRefs": [{"name": "reader", "port": 80, "weight": 1}]}]},
}
Act = Callable[[World, ParserBuilder], None]


def found(evidence: Evidence) -> Callable[[World], None]:
    """Return an arrangement in which every canary is found to be as `evidence` says."""

    def arrange(world: World) -> None:
        world.senses.evidence = evidence

    return arrange


def scarce(world: World) -> None:
    """Arrange for as many GPUs as pods serve."""
    world.senses.evidence = GOOD
    world.senses.gpus = world.controllers.nodes = REPLICAS


def routed(evidence: Evidence) -> Callable[[World], None]:
    """Return an arrangement with a route in front of the Service."""

    def arrange(world: World) -> None:
        world.senses.evidence = evidence
        world.cluster.submit(ROUTE)

    return arrange


def read(error_rate: float) -> Callable[[World], None]:
    """Return an arrangement in which canaries read golden documents with `error_rate`."""

    def arrange(world: World) -> None:
        world.senses.evidence = GOOD
        line = line_of(_report(error_rate))
        world.controllers.jobs.ending = lambda _job: (True, line)

    return arrange


def _report(error_rate: float) -> GoldenReport:
    rate = Comparison(
        canary=error_rate, stable=0, difference=error_rate, lower=error_rate, upper=error_rate
    )
    same = Comparison(canary=1, stable=1, difference=0, lower=0, upper=0)
    scores = ClassScores(documents=20, character_error_rate=rate, reading_order=same)
    return GoldenReport(documents=20, classes={"plain_text": scores})


def to(image: str) -> Act:
    def act(world: World, parser: ParserBuilder) -> None:
        world.apply(parser.with_image(image))

    return act


def then(*acts: Act) -> Act:
    def act(world: World, parser: ParserBuilder) -> None:
        for one in acts:
            one(world, parser)

    return act


def until_canary(world: World, _parser: ParserBuilder) -> None:
    """Wait until the canary serves."""
    world.until(lambda world: _rollout(world).get("weight", 0) > 0, ENOUGH_SECONDS)


def until_served(world: World, _parser: ParserBuilder) -> None:
    """Wait until the new revision has taken over for good."""
    world.until(lambda world: "completedAt" in _rollout(world), ENOUGH_SECONDS)


def until_rolled_back(world: World, _parser: ParserBuilder) -> None:
    """Wait until the first revision serves again."""
    world.until(lambda w: w.parser()["status"]["currentRevisionNumber"] == 1, ENOUGH_SECONDS)


def asking(annotation: str, value: str) -> Act:
    """Return an act that sets an annotation as a person does."""

    def act(world: World, parser: ParserBuilder) -> None:
        ref = Ref(DOC_PARSER, parser.namespace, parser.name)
        world.cluster.edit(ref, {"metadata": {"annotations": {annotation: value}}})

    return act


def delete(world: World, parser: ParserBuilder) -> None:
    world.cluster.remove(Ref(DOC_PARSER, parser.namespace, parser.name))


def _rollout(world: World) -> dict[str, Any]:
    """Return the rollout of the revision that is not the first."""
    status = world.parser().get("status", {})
    found: dict[str, Any] = status.get("rollout", {})
    number = status.get("updateRevisionNumber", 1)
    return found if number > 1 and found.get("revision") == status.get("updateRevision") else {}


def canary(
    before: ParserBuilder, act: Act, arrange: Callable[[World], None], most: int = 2 * REPLICAS
) -> Scenario:
    """Return a scenario in which the stable revision never loses a pod."""
    return Scenario(before, act, least=REPLICAS, most=most, arrange=arrange)


TO_NEXT = then(to(NEXT), until_canary)
ROLLBACK = asking(names.ANNOTATION_ROLLBACK_TO, "1#it reads badly")
CANARIES = {
    "canary": canary(CANARY, to(NEXT), found(GOOD)),
    "canary that fails too often": canary(CANARY, to(NEXT), found(BAD)),
    "canary that never starts": canary(CANARY, to(BROKEN), found(GOOD)),
    "canary that reads well": canary(GOLDEN, to(NEXT), read(0.0)),
    "canary that reads wrong": canary(GOLDEN, to(NEXT), read(0.5)),
    "canary promoted by hand": canary(
        HAND,
        then(
            TO_NEXT,
            asking(names.ANNOTATION_PROMOTE, "2/1"),
            lambda world, _: world.until(lambda w: _rollout(w)["stepIndex"] == 3, ENOUGH_SECONDS),
            asking(names.ANNOTATION_PROMOTE, "2/all"),
        ),
        found(GOOD),
    ),
    "canary aborted by hand": canary(
        HAND, then(TO_NEXT, asking(names.ANNOTATION_ABORT, "2")), found(GOOD)
    ),
    "canary paused": canary(
        CANARY, then(TO_NEXT, asking(names.ANNOTATION_PAUSE, "true")), found(GOOD)
    ),
    "third spec in a canary": canary(
        CANARY, then(TO_NEXT, to(THIRD)), found(GOOD), most=3 * REPLICAS
    ),
    "revert in a canary": canary(CANARY, then(TO_NEXT, to("example.org/runtime:1")), found(GOOD)),
    "delete in a canary": Scenario(CANARY, then(TO_NEXT, delete), arrange=found(GOOD)),
    "rollback in a canary": canary(CANARY, then(TO_NEXT, ROLLBACK), found(GOOD)),
    "rollback": canary(CANARY, then(to(NEXT), until_served, ROLLBACK), found(GOOD)),
    "rollback by spec": canary(
        CANARY, then(to(NEXT), until_served, to("example.org/runtime:1")), found(GOOD)
    ),
    "rollback that a new spec ends": canary(
        CANARY,
        then(to(NEXT), until_served, ROLLBACK, until_rolled_back, to(THIRD)),
        found(GOOD),
        most=3 * REPLICAS,
    ),
    "blue and green": canary(BLUE_GREEN, to(NEXT), found(GOOD)),
    "blue and a bad green": canary(BLUE_GREEN, to(BROKEN), found(GOOD)),
    "canary behind a gateway": canary(ROUTED, to(NEXT), routed(GOOD)),
    "bad canary behind a gateway": canary(ROUTED, to(NEXT), routed(BAD)),
    "canary without free GPUs": Scenario(
        GPU, to(NEXT), least=REPLICAS - 1, most=REPLICAS, arrange=scarce
    ),
}

"""Objects whose pods others count, and what tests ask of them."""

from typing import Any

from docparser_operator.kinds import SCALED_OBJECT, SCALER, Kind, Manifest, Ref
from support.builders import ParserBuilder
from support.world import World
from unit.operator.reconcile_case import LONG, PARSER

RULES = {
    "minReplicas": 1,
    "maxReplicas": 8,
    "pagesPerMinute": 40,
    "targetWaitSeconds": 90,
    "scaleDown": {"stabilizationSeconds": 300},
    "keda": {"prometheusAddress": "http://prometheus.monitoring:9090"},
}
NAME = {SCALER: "HorizontalPodAutoscaler reader", SCALED_OBJECT: "ScaledObject reader"}
IMAGE = PARSER.body()["spec"]["image"]
NEXT = "example.org/runtime:2"


def under(mode: str, **rules: Any) -> ParserBuilder:
    return PARSER.with_spec(autoscaling={**RULES, "mode": mode, **rules})


HPA, KEDA, BUILT_IN = under("HPA"), under("KEDA"), under("Builtin")


def settled(parser: ParserBuilder) -> World:
    world = World()
    world.apply(parser)
    world.settle(LONG)
    return world


def found(world: World, kind: Kind) -> Manifest:
    return world.cluster.objects[Ref(kind, "default", "reader")]


def there(world: World) -> set[Kind]:
    """Return which autoscalers there are."""
    return {kind for kind in (SCALER, SCALED_OBJECT) if world.cluster.of_kind(kind)}


def say(world: World, kind: Kind, name: str, status: str, reason: str = "Told") -> None:
    """Be the autoscaler's controller, which tells how it fares."""
    told = {"conditions": [{"type": name, "status": status, "reason": reason}]}
    world.cluster.edit(Ref(kind, "default", "reader"), {"status": told})
    world.settle(1)

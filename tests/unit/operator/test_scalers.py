"""The objects of other autoscalers, as they are rendered, and how free they are in a rollout."""

from docparser_api import names
from docparser_operator.kinds import SCALED_OBJECT, SCALER, Kind
from support.world import World
from unit.operator.delegation_case import HPA, KEDA, NEXT, RULES, found, say, settled, under


def test_a_horizontal_pod_autoscaler_is_the_objects_own() -> None:
    made = found(settled(HPA), SCALER)
    (owner,) = made["metadata"]["ownerReferences"]
    assert (owner["kind"], owner["name"], owner["controller"]) == (names.KIND, "reader", True)
    behaviour = made["spec"].pop("behavior")
    assert made["spec"] == {
        "scaleTargetRef": {"apiVersion": names.API_VERSION, "kind": names.KIND, "name": "reader"},
        "minReplicas": 1,
        "maxReplicas": 8,
        "metrics": [
            {
                "type": "External",
                "external": {
                    "metric": {
                        "name": "docparser_outstanding_pages_sum",
                        "selector": {"matchLabels": {"deployment": "reader"}},
                    },
                    "target": {"type": "AverageValue", "averageValue": "60"},
                },
            }
        ],
    }
    assert behaviour["scaleDown"] == {"stabilizationWindowSeconds": 300, "selectPolicy": "Max"}
    assert behaviour["scaleUp"] == {"stabilizationWindowSeconds": 0, "selectPolicy": "Max"}


def test_a_scaled_object_asks_prometheus_and_proves_itself() -> None:
    keda = {**RULES["keda"], "authenticationRef": {"name": "prometheus"}}  # type: ignore[dict-item]
    queue = {"databaseUrlSecretRef": {"name": "d", "key": "u"}, "objectStore": {"url": "s3://a/b"}}
    parser = under("KEDA", minReplicas=0, idleSeconds=120, keda=keda)
    made = found(settled(parser.with_spec(topology="Queue", queue=queue)), SCALED_OBJECT)["spec"]
    assert (made["minReplicaCount"], made["maxReplicaCount"], made["cooldownPeriod"]) == (0, 8, 120)
    (trigger,) = made["triggers"]
    assert trigger["authenticationRef"] == {"name": "prometheus"}
    assert trigger["metadata"] == {
        "serverAddress": "http://prometheus.monitoring:9090",
        "query": 'docparser:outstanding_pages:max{namespace="default",deployment="reader"}',
        "threshold": "60",
        "ignoreNullValues": "false",
    }


def test_while_a_revision_is_rolled_out_it_may_grow_and_while_that_is_paused_it_stays() -> None:
    steps = [{"setWeight": 10}, {"pause": {}}]
    canary = {"strategy": "Canary", "steps": steps}
    for parser, kind in ((HPA, SCALER), (KEDA, SCALED_OBJECT)):
        world = settled(parser.with_spec(rollout=canary))
        say(world, kind, "ScalingActive" if kind == SCALER else "Ready", "True")
        assert policies(world, kind) == ("Max", "Max")
        changed = parser.with_spec(rollout=canary).with_image(NEXT)
        world.apply(changed)
        world.settle(30)
        assert policies(world, kind) == ("Max", "Disabled")
        assert world.condition("ScalingActive")["reason"] == "RollingOut"
        assert held(world, kind) == ({"paused-scale-in"} if kind == SCALED_OBJECT else set())
        world.apply(changed.with_annotation(names.ANNOTATION_PAUSE, "true"))
        world.settle(30)
        assert policies(world, kind) == ("Disabled", "Disabled")
        assert world.condition("ScalingActive")["reason"] == "Paused"
        assert held(world, kind) == ({"paused"} if kind == SCALED_OBJECT else set())


def policies(world: World, kind: Kind) -> tuple[str, str]:
    spec = found(world, kind)["spec"]
    if kind == SCALED_OBJECT:
        spec = spec["advanced"]["horizontalPodAutoscalerConfig"]
    behaviour = spec["behavior"]
    return behaviour["scaleUp"]["selectPolicy"], behaviour["scaleDown"]["selectPolicy"]


def held(world: World, kind: Kind) -> set[str]:
    annotations = found(world, kind)["metadata"].get("annotations", {})
    return {key.removeprefix("autoscaling.keda.sh/") for key in annotations}

"""The HorizontalPodAutoscaler or ScaledObject that writes spec.replicas through /scale."""

from typing import Final

from docparser_api import names
from docparser_api.autoscaling import AutoscalingSpec
from docparser_api.deployment import DocParserDeployment

from docparser_operator.autoscaling.values import Freeze
from docparser_operator.desired.metadata import metadata
from docparser_operator.kinds import SCALED_OBJECT, SCALER, Manifest

RECORDED: Final = "docparser:outstanding_pages:"
"""Beginning of the name of the recorded series: pages that wait or are being read. `sum` follows
where each pod has a queue of its own, `max` where all tell of the same one."""
EXTERNAL: Final = "docparser_outstanding_pages_"
"""The same as a name of the external metrics API."""
POLLING_SECONDS: Final = 10
"""How often KEDA looks whether there is anything to do at all."""
PAUSED: Final = "autoscaling.keda.sh/paused"
PAUSED_SHRINKING: Final = "autoscaling.keda.sh/paused-scale-in"


def horizontal_pod_autoscaler(
    parser: DocParserDeployment, rules: AutoscalingSpec, freeze: Freeze, *, is_shared: bool
) -> Manifest:
    """Return the HorizontalPodAutoscaler of `rules`, which does what `freeze` leaves to it."""
    name = parser.metadata.name
    metric = {
        "name": EXTERNAL + _over(is_shared=is_shared),
        "selector": {"matchLabels": {"deployment": name}},
    }
    target = {"type": "AverageValue", "averageValue": str(pages_for_each(rules))}
    return {
        "apiVersion": SCALER.api_version,
        "kind": SCALER.kind,
        "metadata": metadata(parser.metadata, name),
        "spec": {
            "scaleTargetRef": _target(name),
            "minReplicas": rules.min_replicas,
            "maxReplicas": rules.max_replicas,
            "metrics": [{"type": "External", "external": {"metric": metric, "target": target}}],
            "behavior": _behaviour(rules, freeze),
        },
    }


def scaled_object(
    parser: DocParserDeployment, rules: AutoscalingSpec, freeze: Freeze, *, is_shared: bool
) -> Manifest:
    """Return the ScaledObject of `rules`; the API server has seen to it that `rules.keda` is set.

    Beside the limits for the HorizontalPodAutoscaler that KEDA makes there are its own annotations,
    since it goes to zero and comes back without that one.
    """
    owner, held = parser.metadata, _HELD[freeze]
    return {
        "apiVersion": SCALED_OBJECT.api_version,
        "kind": SCALED_OBJECT.kind,
        "metadata": metadata(owner, owner.name, annotations={held: "true"} if held else None),
        "spec": {
            "scaleTargetRef": _target(owner.name),
            "minReplicaCount": rules.min_replicas,
            "maxReplicaCount": rules.max_replicas,
            "pollingInterval": POLLING_SECONDS,
            "cooldownPeriod": rules.idle_seconds,
            "advanced": {"horizontalPodAutoscalerConfig": {"behavior": _behaviour(rules, freeze)}},
            "triggers": [_trigger(parser, rules, is_shared=is_shared)],
        },
    }


def pages_for_each(rules: AutoscalingSpec) -> int:
    """Return how many pages a pod reads while one may wait: more call for another pod."""
    return max(1, (rules.pages_per_minute or 0) * rules.target_wait_seconds // 60)


def _trigger(parser: DocParserDeployment, rules: AutoscalingSpec, *, is_shared: bool) -> Manifest:
    owner, keda = parser.metadata, rules.keda
    series = RECORDED + _over(is_shared=is_shared)
    reference = keda.authentication_ref if keda is not None else None
    return {
        "type": "prometheus",
        "metricType": "AverageValue",
        "metadata": {
            "serverAddress": keda.prometheus_address if keda is not None else "",
            "query": f'{series}{{namespace="{owner.namespace}",deployment="{owner.name}"}}',
            "threshold": str(pages_for_each(rules)),
            # Without an answer the pods stay, rather than go as if there was nothing to do.
            "ignoreNullValues": "false",
        },
        **({"authenticationRef": {"name": reference.name}} if reference is not None else {}),
    }


def _target(name: str) -> Manifest:
    return {"apiVersion": names.API_VERSION, "kind": names.KIND, "name": name}


def _over(*, is_shared: bool) -> str:
    return "max" if is_shared else "sum"


def _behaviour(rules: AutoscalingSpec, freeze: Freeze) -> Manifest:
    """Return the windows, and which way is closed."""
    may_grow, may_shrink = freeze is not Freeze.ALL, freeze is Freeze.NOTHING
    return {
        "scaleUp": {
            "stabilizationWindowSeconds": rules.scale_up.stabilization_seconds,
            "selectPolicy": _policy(is_open=may_grow),
        },
        "scaleDown": {
            "stabilizationWindowSeconds": rules.scale_down.stabilization_seconds,
            "selectPolicy": _policy(is_open=may_shrink),
        },
    }


def _policy(*, is_open: bool) -> str:
    return "Max" if is_open else "Disabled"


_HELD: Final = {Freeze.NOTHING: None, Freeze.SHRINKING: PAUSED_SHRINKING, Freeze.ALL: PAUSED}

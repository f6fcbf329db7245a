"""The gateways of a queue: the door of the serving revision, without its engine and its GPU."""

from docparser_api import names
from docparser_api.deployment import DocParserDeployment, ObjectMeta
from docparser_api.queue import Gateways
from docparser_api.runtime import RuntimeConfig, grace_period_seconds

from docparser_operator.desired.metadata import labels, metadata
from docparser_operator.desired.queue import split_mount, split_variable, split_volume
from docparser_operator.kinds import Manifest

PURPOSE = "gateway"
_KEPT = (
    "serviceAccountName",
    "automountServiceAccountToken",
    "enableServiceLinks",
    "shareProcessNamespace",
    "securityContext",
    "imagePullSecrets",
)
"""What a gateway's pod has in common with a worker's. Where GPUs are is of no concern to it."""
_KEPT_VOLUMES = ("tmp", "shm")


def gateway_name(owner: ObjectMeta) -> str:
    """Return the name of the Deployment of the gateways."""
    return owner.name + names.SUFFIX_GATEWAY


def gateway_selector(owner: ObjectMeta) -> dict[str, str]:
    """Return the labels that select the gateways, whatever their revision."""
    return {names.LABEL_HELPER_OF: owner.name, names.LABEL_PURPOSE: PURPOSE}


def gateways(parser: DocParserDeployment, shape: Manifest, template: Manifest) -> list[Manifest]:
    """Return Deployment and disruption budget of the gateways.

    Args:
        parser: the object.
        shape: content of the revision whose image and configuration they run.
        template: its pod template.
    """
    wanted = parser.spec.gateways or Gateways()
    return [_budget(parser.metadata), _deployment(parser, wanted, shape, template)]


def _budget(owner: ObjectMeta) -> Manifest:
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": metadata(owner, gateway_name(owner)),
        "spec": {
            "selector": {"matchLabels": gateway_selector(owner)},
            "unhealthyPodEvictionPolicy": "AlwaysAllow",
            "maxUnavailable": 1,
        },
    }


def _deployment(
    parser: DocParserDeployment, wanted: Gateways, shape: Manifest, template: Manifest
) -> Manifest:
    owner = parser.metadata
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": metadata(owner, gateway_name(owner)),
        "spec": {
            "replicas": wanted.replicas,
            "selector": {"matchLabels": gateway_selector(owner)},
            "revisionHistoryLimit": 0,
            # A new revision's gateways are there before the old ones go.
            "strategy": {
                "type": "RollingUpdate",
                "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0},
            },
            "template": {
                "metadata": {
                    "labels": _pod_labels(owner),
                    "annotations": {"kubectl.kubernetes.io/default-container": names.CONTAINER},
                },
                "spec": _pod(owner, wanted, shape, template["spec"]),
            },
        },
    }


def _pod_labels(owner: ObjectMeta) -> dict[str, str]:
    # Without the label of the pods that have an engine: those are counted, and hold GPUs.
    own = {name: value for name, value in labels(owner).items() if name != names.LABEL_DEPLOYMENT}
    return own | gateway_selector(owner) | {names.LABEL_COMPONENT: PURPOSE}


def _pod(owner: ObjectMeta, wanted: Gateways, shape: Manifest, worker: Manifest) -> Manifest:
    config = RuntimeConfig.model_validate(shape.get("runtime", {}))
    kept = [volume for volume in worker["volumes"] if volume["name"] in _KEPT_VOLUMES]
    return {
        **{field: worker[field] for field in _KEPT if field in worker},
        "terminationGracePeriodSeconds": grace_period_seconds(config),
        "containers": [_container(wanted, worker["containers"][0])],
        "volumes": [*kept, split_volume(owner.name)],
        "topologySpreadConstraints": [
            {
                "maxSkew": 1,
                "topologyKey": "kubernetes.io/hostname",
                "whenUnsatisfiable": "ScheduleAnyway",
                "labelSelector": {"matchLabels": gateway_selector(owner)},
            }
        ],
    }


def _container(wanted: Gateways, worker: Manifest) -> Manifest:
    env = [v for v in worker["env"] if v["name"] not in {names.ENV_TRACK, names.ENV_SPLIT_FILE}]
    mounts = [mount for mount in worker["volumeMounts"] if mount["name"] in _KEPT_VOLUMES]
    return {
        **worker,
        "args": ["serve", "--role", "gateway"],
        "env": [*env, split_variable()],
        "resources": wanted.resources.model_dump(by_alias=True, exclude_none=True),
        "volumeMounts": [*mounts, split_mount()],
    }

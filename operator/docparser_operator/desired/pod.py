"""The pod template of a revision. It is rendered once and kept in the ControllerRevision."""

import json
from typing import Any

from docparser_api import names
from docparser_api.base import ApiModel
from docparser_api.deployment import ObjectMeta
from docparser_api.runtime import grace_period_seconds, worker_grace_period_seconds
from docparser_api.spec import PodShape

from docparser_operator.desired.metadata import labels, pod_selector
from docparser_operator.desired.queue import queue_env, split_mounts, split_volumes
from docparser_operator.desired.weights import (
    weights_credentials,
    weights_mounts,
    weights_volumes,
)
from docparser_operator.kinds import Manifest

USER = 65532
STARTUP_PERIOD_SECONDS = 2
COMPONENTS = {"Direct": "runtime", "Queue": "worker"}


def pod_template(owner: ObjectMeta, shape: PodShape, revision: str) -> Manifest:
    """Return the pod template of `revision`, which has the form `shape`."""
    selector = pod_selector(owner, revision)
    extra = shape.pod_metadata
    own = labels(owner) | selector | {names.LABEL_COMPONENT: COMPONENTS[shape.topology]}
    return {
        "metadata": {
            "labels": (extra.labels or {}) | own,
            "annotations": {"kubectl.kubernetes.io/default-container": names.CONTAINER}
            | (extra.annotations or {}),
        },
        "spec": {
            "serviceAccountName": owner.name,
            "automountServiceAccountToken": False,
            "enableServiceLinks": False,
            # As the first process of its namespace the runtime would ignore a SIGTERM that comes
            # before Python can listen, and hold its GPU for the whole grace period.
            "shareProcessNamespace": True,
            "terminationGracePeriodSeconds": _grace_period_seconds(shape),
            "securityContext": security_context(),
            **_fetch(shape),
            "containers": [_container(shape, revision)],
            "volumes": _volumes(owner, shape),
            **_list("imagePullSecrets", shape.image_pull_secrets),
            **_list("resourceClaims", shape.resources.claims),
            **_scheduling(shape, selector),
        },
    }


def security_context() -> Manifest:
    """Return what a pod may do: as little as the level `restricted` asks for."""
    return {
        "runAsNonRoot": True,
        "runAsUser": USER,
        "runAsGroup": USER,
        "fsGroup": USER,
        "fsGroupChangePolicy": "OnRootMismatch",
        "seccompProfile": {"type": "RuntimeDefault"},
    }


def container_security() -> Manifest:
    """Return what a container may do."""
    return {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }


def _grace_period_seconds(shape: PodShape) -> int:
    """Return the time to leave in: a worker's tasks go on elsewhere, requests must be answered."""
    if shape.termination_grace_period_seconds is not None:
        return shape.termination_grace_period_seconds
    if shape.topology == "Queue":
        return worker_grace_period_seconds(shape.runtime)
    return grace_period_seconds(shape.runtime)


def _container(shape: PodShape, revision: str) -> Manifest:
    return {
        "name": names.CONTAINER,
        "image": shape.image,
        "imagePullPolicy": shape.image_pull_policy,
        "args": ["serve", "--role", "worker"] if shape.topology == "Queue" else ["serve"],
        "ports": [{"name": names.PORT_NAME, "containerPort": names.PORT, "protocol": "TCP"}],
        "env": _env(shape, revision),
        "resources": _resources(shape),
        "securityContext": container_security(),
        "startupProbe": _probe(
            shape,
            names.PATH_STARTUP,
            STARTUP_PERIOD_SECONDS,
            -(-shape.probes.startup_timeout_seconds // STARTUP_PERIOD_SECONDS),
        ),
        "readinessProbe": _probe(shape, names.PATH_READY, shape.probes.readiness_period_seconds, 2),
        "livenessProbe": _probe(
            shape,
            names.PATH_LIVE,
            shape.probes.liveness_period_seconds,
            shape.probes.liveness_failure_threshold,
        ),
        # The runtime's last words reach the condition; they hold no document text.
        "terminationMessagePolicy": "FallbackToLogsOnError",
        "volumeMounts": [
            {"name": "tmp", "mountPath": "/tmp"},  # noqa: S108 (a mount point in the pod)
            {"name": "shm", "mountPath": "/dev/shm"},  # noqa: S108
            *weights_mounts(shape.model.weights),
            *split_mounts(shape),
        ],
    }


def _fetch(shape: PodShape) -> Manifest:
    """Return the init container that gets the weights ready, if there are any."""
    weights = shape.model.weights
    if weights is None:
        return {}
    container = {
        "name": names.WEIGHTS_CONTAINER,
        "image": shape.image,
        "imagePullPolicy": shape.image_pull_policy,
        "args": ["weights", "fetch"],
        "env": [
            {"name": names.ENV_MODEL, "value": _json(shape.model)},
            *weights_credentials(weights),
        ],
        "resources": _without_devices(shape),
        "securityContext": container_security(),
        "terminationMessagePolicy": "FallbackToLogsOnError",
        "volumeMounts": [
            {"name": "tmp", "mountPath": "/tmp"},  # noqa: S108
            *weights_mounts(weights, fetching=True),
        ],
    }
    return {"initContainers": [container]}


def _without_devices(shape: PodShape) -> Manifest:
    """Return the CPU and memory of the runtime: the same pod has them anyway."""
    wanted = shape.resources
    amounts = {"requests": wanted.requests, "limits": wanted.limits}
    return {name: dict(amount) for name, amount in amounts.items() if amount}


def _env(shape: PodShape, revision: str) -> list[Manifest]:
    """Return the environment; the configuration travels whole, no field is named here."""
    env: list[Manifest] = [
        {"name": names.ENV_MODEL, "value": _json(shape.model)},
        {"name": names.ENV_RUNTIME, "value": _json(shape.runtime)},
    ]
    if shape.auth is not None:
        source = {"secretKeyRef": _dump(shape.auth.token_secret_ref)}
        env.append({"name": names.ENV_TOKEN, "valueFrom": source})
    env += queue_env(shape, revision)
    return env + [_dump(variable) for variable in shape.env or []]


def _resources(shape: PodShape) -> Manifest:
    wanted = shape.resources
    limits = dict(wanted.limits or {})
    if wanted.gpu.count:
        limits[wanted.gpu.resource_name] = str(wanted.gpu.count)
    result: Manifest = {}
    if wanted.requests:
        result["requests"] = dict(wanted.requests)
    if limits:
        result["limits"] = limits
    if wanted.claims:
        result["claims"] = [{"name": claim.name} for claim in wanted.claims]
    return result


def _probe(shape: PodShape, path: str, period_seconds: int, failures: int) -> Manifest:
    return {
        "httpGet": {"path": path, "port": names.PORT_NAME, "scheme": "HTTP"},
        "periodSeconds": period_seconds,
        "timeoutSeconds": shape.probes.timeout_seconds,
        "failureThreshold": failures,
        "successThreshold": 1,
    }


def _volumes(owner: ObjectMeta, shape: PodShape) -> list[Manifest]:
    memory = {"medium": "Memory", "sizeLimit": shape.shared_memory.size_limit}
    return [
        {"name": "tmp", "emptyDir": {}},
        {"name": "shm", "emptyDir": memory},
        *weights_volumes(shape.model.weights),
        *split_volumes(owner, shape),
    ]


def _scheduling(shape: PodShape, selector: dict[str, str]) -> Manifest:
    """Return the scheduling fields; a spread without selector counts the revision's own pods."""
    wanted = _dump(shape.scheduling)
    own_pods = {"matchLabels": selector}
    if spread := wanted.get("topologySpreadConstraints"):
        wanted["topologySpreadConstraints"] = [{"labelSelector": own_pods, **c} for c in spread]
    return wanted


def _list(field: str, values: list[Any] | None) -> Manifest:
    """Return `field` with the dumped values, or nothing where there are none."""
    return {field: [_dump(value) for value in values]} if values else {}


def _dump(model: ApiModel) -> Manifest:
    return model.model_dump(by_alias=True, exclude_none=True)


def _json(model: ApiModel) -> str:
    """Return the fields that differ from their defaults, so that a new default rolls nothing."""
    body = model.model_dump(by_alias=True, exclude_defaults=True)
    return json.dumps(body, sort_keys=True, separators=(",", ":"))

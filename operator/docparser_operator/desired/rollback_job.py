"""The Job that tries out whether a revision can come back: its image, its settings, its weights."""

import json

from docparser_api import names
from docparser_api.deployment import DocParserDeployment
from docparser_api.runtime import ModelSpec

from docparser_operator.desired.helper_job import ROLLBACK_CHECK, job
from docparser_operator.kinds import Manifest

DEADLINE_SECONDS = 900
"""Time to pull an image of some GiB and to read weights of as many."""
_SERVING_ONLY = ("ports", "startupProbe", "readinessProbe", "livenessProbe", "resources")


def rollback_job(
    parser: DocParserDeployment, name: str, revision: str, template: Manifest
) -> Manifest:
    """Return the Job for `revision`: its own pod, but for devices and for what serves."""
    spec = template["spec"]
    container = {k: v for k, v in spec["containers"][0].items() if k not in _SERVING_ONLY}
    container |= {
        "args": _arguments(container["env"]),
        "env": [_without_own_cache(variable) for variable in container["env"]],
        "resources": {"requests": {"cpu": "50m", "memory": "128Mi"}},
    }
    pod = {k: v for k, v in spec.items() if k not in {"initContainers", "resourceClaims"}}
    pod = {**pod, "containers": [container], "restartPolicy": "Never"}
    labels = {names.LABEL_REVISION: revision}
    return job(parser.metadata, name, ROLLBACK_CHECK, pod, DEADLINE_SECONDS, labels)


def fetches_anew(template: Manifest) -> bool:
    """Return whether each pod of `template` fetches its own weights, so that none lie anywhere."""
    model = _model(template["spec"]["containers"][0]["env"])
    weights = model.weights
    if weights is None or not weights.is_fetched:
        return False
    return weights.cache.persistent_volume_claim is None and weights.cache.host_path is None


def _arguments(env: list[Manifest]) -> list[str]:
    """Return the command: where no pod leaves its finding behind, every byte is read again."""
    weights = _model(env).weights
    claim = weights.cache.persistent_volume_claim if weights else None
    filled = claim is not None and claim.access_mode == "ReadOnlyMany"
    full = weights is not None and (filled or not weights.is_fetched)
    return ["check", "--full"] if full else ["check"]


def _without_own_cache(variable: Manifest) -> Manifest:
    """Return the model without weights of which nothing can be lying about."""
    if variable["name"] != names.ENV_MODEL:
        return variable
    weights = ModelSpec.model_validate_json(variable["value"]).weights
    if weights is None or not weights.is_fetched:
        return variable
    if weights.cache.persistent_volume_claim or weights.cache.host_path:
        return variable
    model = {k: v for k, v in json.loads(variable["value"]).items() if k != "weights"}
    return {**variable, "value": json.dumps(model, sort_keys=True, separators=(",", ":"))}


def _model(env: list[Manifest]) -> ModelSpec:
    value = next(v["value"] for v in env if v["name"] == names.ENV_MODEL)
    return ModelSpec.model_validate_json(value)

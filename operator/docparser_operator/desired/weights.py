"""What a pod needs for its weights: an init container that fetches and verifies, and volumes."""

from docparser_api import names
from docparser_api.weights import Weights

from docparser_operator.kinds import Manifest

_CACHE, _SOURCE, _CHECK, _LIST = (
    "weights",
    "weights-source",
    "weights-check",
    "weights-manifest",
)
_S3_KEYS = {
    "ACCESS_KEY_ID": "accessKeyId",
    "SECRET_ACCESS_KEY": "secretAccessKey",
    "SESSION_TOKEN": "sessionToken",
}
_TOKEN_KEYS = {"TOKEN": "token"}
_OPTIONAL = {"SESSION_TOKEN"}


def weights_volumes(weights: Weights | None) -> list[Manifest]:
    """Return the volumes of a pod that loads `weights`."""
    if weights is None:
        return []
    volumes: list[Manifest] = [{"name": _CHECK, "emptyDir": {}}]
    if weights.is_fetched:
        volumes.append({"name": _CACHE, **_cache(weights)})
    else:
        volumes.append({"name": _SOURCE, **_source(weights)})
    if (ref := weights.manifest.config_map_key_ref) is not None:
        file = names.WEIGHTS_MANIFEST.rpartition("/")[2]
        items = [{"key": ref.key, "path": file}]
        volumes.append({"name": _LIST, "configMap": {"name": ref.name, "items": items}})
    return volumes


def weights_mounts(weights: Weights | None, *, fetching: bool = False) -> list[Manifest]:
    """Return the mounts: the fetch may write, everyone else only reads."""
    if weights is None:
        return []
    mounts = [_mount(_CHECK, names.WEIGHTS_CHECK, read_only=not fetching)]
    if weights.is_fetched:
        claim = weights.cache.persistent_volume_claim
        filled = claim is not None and claim.access_mode == "ReadOnlyMany"
        mounts.append(_mount(_CACHE, names.WEIGHTS_CACHE, read_only=filled or not fetching))
    else:
        mounts.append(_mount(_SOURCE, names.WEIGHTS_SOURCE, read_only=True))
    if weights.manifest.config_map_key_ref is not None:
        mounts.append(_mount(_LIST, names.WEIGHTS_MANIFEST.rpartition("/")[0], read_only=True))
    return mounts


def weights_credentials(weights: Weights) -> list[Manifest]:
    """Return the environment variables that hold the credentials of the source."""
    ref = weights.source.secret_ref
    if ref is None:
        return []
    keys = _S3_KEYS if weights.source.s3 is not None else _TOKEN_KEYS
    return [
        {
            "name": names.ENV_WEIGHTS_PREFIX + variable,
            "valueFrom": {
                "secretKeyRef": {
                    "name": ref.name,
                    "key": key,
                    **({"optional": True} if variable in _OPTIONAL else {}),
                }
            },
        }
        for variable, key in keys.items()
    ]


def _cache(weights: Weights) -> Manifest:
    cache = weights.cache
    if (claim := cache.persistent_volume_claim) is not None:
        return {"persistentVolumeClaim": {"claimName": claim.claim_name}}
    if cache.host_path is not None:
        return {"hostPath": {"path": cache.host_path.path, "type": "Directory"}}
    return {"emptyDir": {"sizeLimit": cache.size_limit} if cache.size_limit else {}}


def _source(weights: Weights) -> Manifest:
    if (image := weights.source.image) is not None:
        return {"image": {"reference": image.reference, "pullPolicy": image.pull_policy}}
    claim = weights.source.persistent_volume_claim
    name = claim.claim_name if claim is not None else ""
    return {"persistentVolumeClaim": {"claimName": name, "readOnly": True}}


def _mount(name: str, path: str, *, read_only: bool) -> Manifest:
    return {"name": name, "mountPath": path, **({"readOnly": True} if read_only else {})}

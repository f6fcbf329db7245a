"""What a pod needs to take part in the queue: its place, its track, and the split of new tasks."""

from typing import Final

from docparser_api import names
from docparser_api.deployment import ObjectMeta
from docparser_api.queue import ObjectStore
from docparser_api.spec import PodShape
from docparser_api.split import Split
from docparser_api.wakeup import promised

from docparser_operator.desired.metadata import metadata
from docparser_operator.kinds import Manifest

VOLUME: Final = "split"
_DIRECTORY, _, _KEY = names.SPLIT_FILE.rpartition("/")
_WAKE_UP = names.WAKE_UP_FILE.removeprefix(f"{_DIRECTORY}/")
_CREDENTIALS: Final = {
    "ACCESS_KEY_ID": "accessKeyId",
    "SECRET_ACCESS_KEY": "secretAccessKey",
    "SESSION_TOKEN": "sessionToken",
}
_OPTIONAL: Final = {"SESSION_TOKEN"}


def queue_env(shape: PodShape, revision: str) -> list[Manifest]:
    """Return the variables that name the queue, and the track of `revision`; none without one."""
    if shape.queue is None:
        return []
    ref = shape.queue.database_url_secret_ref
    database = {"secretKeyRef": {"name": ref.name, "key": ref.key}}
    return [
        {"name": names.ENV_DATABASE_URL, "valueFrom": database},
        *_store_env(shape.queue.object_store),
        {"name": names.ENV_TRACK, "value": revision},
        *([] if shape.topology == "Queue" else [split_variable()]),
    ]


def _store_env(store: ObjectStore) -> list[Manifest]:
    prefix = names.ENV_STORE_PREFIX
    endpoint = [{"name": f"{prefix}ENDPOINT", "value": store.endpoint}] if store.endpoint else []
    ref = store.credentials_secret_ref
    keys = {} if ref is None else _CREDENTIALS
    return [
        {"name": names.ENV_STORE_URL, "value": store.url},
        *endpoint,
        {"name": f"{prefix}REGION", "value": store.region},
        *(
            {
                "name": prefix + variable,
                "valueFrom": {
                    "secretKeyRef": {
                        "name": ref.name if ref else "",
                        "key": key,
                        **({"optional": True} if variable in _OPTIONAL else {}),
                    }
                },
            }
            for variable, key in keys.items()
        ),
    ]


def split_variable() -> Manifest:
    """Return the variable that names the file by which new tasks are split."""
    return {"name": names.ENV_SPLIT_FILE, "value": names.SPLIT_FILE}


def split_mount() -> Manifest:
    """Return the mount of that file: of its whole directory, or changes would not arrive."""
    return {"name": VOLUME, "mountPath": _DIRECTORY, "readOnly": True}


def split_volume(owner: str) -> Manifest:
    """Return the volume that holds the file."""
    return {"name": VOLUME, "configMap": {"name": owner + names.SUFFIX_SPLIT}}


def split_mounts(shape: PodShape) -> list[Manifest]:
    """Return the mount for a pod that accepts tasks itself; workers are given theirs."""
    return [split_mount()] if _accepts(shape) else []


def split_volumes(owner: ObjectMeta, shape: PodShape) -> list[Manifest]:
    """Return the volume for a pod that accepts tasks itself."""
    return [split_volume(owner.name)] if _accepts(shape) else []


def _accepts(shape: PodShape) -> bool:
    return shape.queue is not None and shape.topology == "Direct"


def split_config_map(owner: ObjectMeta, split: Split, wake_up_seconds: int | None) -> Manifest:
    """Return the ConfigMap with the split of new tasks, and with what workers take to come.

    A key of its own: gateways of older releases refuse fields that they do not know.
    """
    promise = promised(wake_up_seconds).model_dump_json(by_alias=True) if wake_up_seconds else None
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": metadata(owner, owner.name + names.SUFFIX_SPLIT),
        "data": {_KEY: split.model_dump_json(), **({_WAKE_UP: promise} if promise else {})},
    }


def split_of(config_map: Manifest) -> Split | None:
    """Return the split that a ConfigMap of ours holds; None where somebody spoilt it."""
    try:
        return Split.model_validate_json((config_map.get("data") or {}).get(_KEY, ""))
    except ValueError:
        return None

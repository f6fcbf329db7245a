"""What pods will have to fetch before they start. Pure."""

import hashlib
import json
from dataclasses import dataclass

from docparser_api.weights import Weights
from docparser_operator.kinds import Manifest
from docparser_operator.revisions import Revision

from docparser_kubectl.quantities import bytes_in_words
from docparser_kubectl.surroundings import Unseen


@dataclass(frozen=True)
class Fetch:
    """What is fetched, in words, and why it cannot be, if so."""

    words: str
    problem: str | None = None


def fetch(
    weights: Weights | None,
    config_map: Manifest | Unseen,
    known: list[Revision],
    pods: int,
) -> Fetch:
    """Return what `pods` new pods fetch.

    Args:
        weights: spec.model.weights.
        config_map: the ConfigMap with the manifest.
        known: revisions, for what a shared cache holds already.
        pods: pods that start.
    """
    if weights is None:
        return Fetch("nothing, the weights are part of the image")
    reason = _spared(weights, known, pods)
    if reason is not None:
        return Fetch(f"nothing, {reason}")
    if weights.manifest.config_map_key_ref is None:
        return Fetch("unknown, the manifest lies beside the files")
    if config_map is Unseen.HIDDEN:
        return Fetch("unknown, you may not read the ConfigMap with the manifest")
    size, problem = _size(weights, config_map)
    if size is None:
        return Fetch("unknown", problem)
    return Fetch(f"{bytes_in_words(size)}{_times(weights, pods)}")


def _spared(weights: Weights, known: list[Revision], pods: int) -> str | None:
    """Return why nothing is fetched; None where something is."""
    if not weights.is_fetched:
        return "the weights are read where they lie"
    if pods == 0:
        return "no pod starts"
    claim = weights.cache.persistent_volume_claim
    if claim is not None and claim.access_mode == "ReadOnlyMany":
        return "the cache must hold the weights already"
    if _is_cached(weights, known):
        return "an earlier revision left these weights in the cache"
    return None


def _times(weights: Weights, pods: int) -> str:
    if weights.cache.persistent_volume_claim is not None:
        return ", once for all pods"
    if weights.cache.host_path is not None:
        return " on each node that has not got them"
    return f" by each of {pods} pods"


def _is_cached(weights: Weights, known: list[Revision]) -> bool:
    """Return whether a revision that served used the same weights in the same shared cache."""
    claim = weights.cache.persistent_volume_claim
    if claim is None:
        return False
    for revision in (one for one in known if one.has_served):
        old = revision.shape.get("model", {}).get("weights") or {}
        cache = (old.get("cache") or {}).get("persistentVolumeClaim") or {}
        same_claim = cache.get("claimName") == claim.claim_name
        digest = (old.get("manifest") or {}).get("sha256")
        same_directory = old.get("version") == weights.version
        if same_claim and same_directory and digest == weights.manifest.sha256:
            return True
    return False


def _size(weights: Weights, config_map: Manifest | Unseen) -> tuple[int | None, str | None]:
    """Return the bytes that the manifest lists, or what is wrong with it."""
    reference = weights.manifest.config_map_key_ref
    if reference is None:
        return None, None
    where = f"ConfigMap {reference.name}, key {reference.key}"
    data = {} if isinstance(config_map, Unseen) else config_map.get("data") or {}
    text = data.get(reference.key)
    if text is None:
        return None, f"{where}, with the manifest of the weights does not exist"
    found = hashlib.sha256(text.encode()).hexdigest()
    if found != weights.manifest.sha256:
        return None, (
            f"{where}, has SHA-256 {found}, but spec.model.weights.manifest.sha256 is "
            f"{weights.manifest.sha256}; pods would refuse the weights"
        )
    try:
        return sum(int(file["size"]) for file in json.loads(text)["files"]), None
    except (ValueError, KeyError, TypeError):
        return None, f"{where}, is no manifest; make it with docparser-runtime weights manifest"

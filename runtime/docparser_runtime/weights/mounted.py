"""Weights that are used where they lie: on a mounted volume, an image, or a read-only cache."""

from docparser_api.names import WEIGHTS_MANIFEST_FILE
from docparser_api.weights import Weights

from docparser_runtime.logs import Log
from docparser_runtime.weights import manifest, marker
from docparser_runtime.weights.errors import Code, WeightsError
from docparser_runtime.weights.marker import Marker
from docparser_runtime.weights.places import Places
from docparser_runtime.weights.progress import Progress
from docparser_runtime.weights.verification import Entry, verified

_MOST_NAMED = 5
"""Files that a log line names."""


def verify(weights: Weights, places: Places, log: Log) -> tuple[Entry, ...]:
    """Return the entries of all files of `weights`, each byte read here and now.

    Raises:
        WeightsError: they are not what the manifest says.
    """
    root = places.root(weights)
    if not root.is_dir():
        raise WeightsError(
            Code.FILE_MISSING, "", f"the directory {root.name} is not there; fetch the weights"
        )
    in_config_map = weights.manifest.config_map_key_ref is not None
    path = places.manifest if in_config_map else root / WEIGHTS_MANIFEST_FILE
    pinned = manifest.parse(manifest.read(path), weights.manifest.sha256)
    others = manifest.unlisted(root, pinned)
    if others:
        log.warning("weights_files_unlisted", count=len(others), files=others[:_MOST_NAMED])
    progress = Progress(log, "weights_verifying", pinned.size)
    return verified(root, pinned, progress.add)


def verify_and_note(weights: Weights, places: Places, log: Log) -> tuple[Marker, bool]:
    """Return the marker for this pod, and whether it was there already.

    Raises:
        WeightsError: the weights are not what the manifest says, or it cannot be noted.
    """
    found = marker.valid(places.check, places.root(weights), weights.manifest.sha256)
    if isinstance(found, Marker):
        return found, True
    entries = verify(weights, places, log)
    if not places.check.is_dir():
        raise WeightsError(
            Code.CACHE_READ_ONLY,
            "",
            f"the weights are verified, but there is no {places.check} to note it",
        )
    return marker.write(places.check, weights.manifest.sha256, entries), False

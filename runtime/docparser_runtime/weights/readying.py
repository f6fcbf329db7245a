"""Gets the weights of the spec ready, whatever their source is."""

import errno

from docparser_api.weights import Weights

from docparser_runtime.weights import marker, mounted
from docparser_runtime.weights.errors import Code, WeightsError
from docparser_runtime.weights.fetch import Fetching, Outcome, fetch
from docparser_runtime.weights.places import Places


def make_ready(weights: Weights, places: Places, how: Fetching) -> Outcome:
    """Return once `weights` are verified and noted as such.

    Raises:
        WeightsError: they cannot be.
    """
    if not weights.is_fetched or _is_read_only(weights):
        return Outcome(*mounted.verify_and_note(weights, places, how.log))
    if not places.cache.is_dir():
        raise WeightsError(
            Code.STORAGE_FAILED, "", f"there is no directory {places.cache} to keep weights in"
        )
    try:
        outcome = fetch(weights, places, how)
    except OSError as error:
        return _without_writing(weights, places, how, error)
    if places.check.is_dir():
        marker.write(places.check, weights.manifest.sha256, outcome.marker.files)
    return outcome


def _is_read_only(weights: Weights) -> bool:
    claim = weights.cache.persistent_volume_claim
    return claim is not None and claim.access_mode == "ReadOnlyMany"


def _without_writing(weights: Weights, places: Places, how: Fetching, error: OSError) -> Outcome:
    """Use what a cache holds that cannot be written to."""
    if error.errno not in (errno.EROFS, errno.EACCES, errno.EPERM):
        raise error
    if not places.root(weights).is_dir():
        reason = error.strerror
        raise WeightsError(
            Code.CACHE_READ_ONLY,
            "",
            f"{weights.directory} is not in the cache, which cannot be written to: {reason}; "
            "it must belong to user 65532 or hold the weights already",
        ) from None
    return Outcome(*mounted.verify_and_note(weights, places, how.log))

"""Whether the weights of the spec bear a marker that holds. Reads no file of them."""

from docparser_api.weights import Weights

from docparser_runtime.weights import marker
from docparser_runtime.weights.marker import MARKER, Marker
from docparser_runtime.weights.places import Places


def marked(weights: Weights, places: Places) -> Marker | str:
    """Return the marker that holds for `weights`, else why there is none.

    The pod's own note counts first. A marker beside the files counts only in a cache, where the
    fetch wrote it: on a volume that somebody filled, anybody could have.

    Raises:
        WeightsError: the source leads out of its volume.
    """
    root = places.root(weights)
    own = (places.check / MARKER).exists() or not weights.is_fetched
    return marker.valid(places.check if own else root, root, weights.manifest.sha256)

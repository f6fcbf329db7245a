"""The verified directory that an engine loads its weights from."""

from pathlib import Path

from docparser_api.weights import Weights

from docparser_runtime.engine.base import EngineLoadError
from docparser_runtime.weights.errors import WeightsError
from docparser_runtime.weights.marker import Marker
from docparser_runtime.weights.marks import marked
from docparser_runtime.weights.places import Places


def ready_directory(weights: Weights, places: Places) -> Path:
    """Return the directory with the files of `weights`.

    Raises:
        EngineLoadError: they were not verified, or were changed since.
    """
    try:
        found = marked(weights, places)
    except WeightsError as error:
        raise EngineLoadError(f"The weights {weights.directory} are refused: {error}") from None
    if not isinstance(found, Marker):
        raise EngineLoadError(f"The weights {weights.directory} are refused: {found}.")
    return places.root(weights)

"""What the commands about weights do. Each task returns the line that tells how it ended."""

import time
from collections.abc import Collection, Mapping

from docparser_api.runtime import ModelSpec
from docparser_api.weights import Weights

from docparser_runtime import config
from docparser_runtime.logs import Log
from docparser_runtime.weights import credentials, ending, mounted
from docparser_runtime.weights.errors import Code, WeightsError
from docparser_runtime.weights.fetch import Fetching
from docparser_runtime.weights.marker import Marker
from docparser_runtime.weights.marks import marked
from docparser_runtime.weights.places import Places
from docparser_runtime.weights.pruning import Pruning
from docparser_runtime.weights.readying import make_ready

Environ = Mapping[str, str]


def fetch(environ: Environ, places: Places, log: Log) -> str:
    """Get the weights ready: fetched where need be, verified, marked.

    Raises:
        WeightsError: they cannot be.
    """
    began = time.monotonic()
    weights = _weights(_model(environ))
    outcome = make_ready(weights, places, Fetching(log, credentials.read(environ)))
    seconds = time.monotonic() - began
    return ending.verified(weights.directory, outcome.marker.size, seconds, reused=outcome.reused)


def verify(environ: Environ, places: Places, log: Log) -> str:
    """Read every byte of the weights that are there. Nothing is fetched and nothing written.

    Raises:
        WeightsError: they are not what the manifest says.
    """
    weights = _weights(_model(environ))
    return _verified_anew(weights, places, log)


def check(environ: Environ, places: Places, log: Log, *, full: bool) -> str:
    """Look whether a service could start from `environ`, the weights' marker included.

    Raises:
        WeightsError: it could not.
    """
    try:
        model, _ = config.load(environ)
        config.token(environ)
    except config.ConfigError as error:
        raise WeightsError(Code.CONFIGURATION_INVALID, "", str(error)) from None
    if model.weights is None:
        return ending.verified("", 0, 0.0, reused=True)
    if full:
        return _verified_anew(model.weights, places, log)
    began = time.monotonic()
    found = marked(model.weights, places)
    if not isinstance(found, Marker):
        raise WeightsError(Code.NOT_VERIFIED, "", f"{model.weights.directory}: {found}")
    seconds = time.monotonic() - began
    return ending.verified(model.weights.directory, found.size, seconds, reused=True)


def prune(places: Places, log: Log, keep: Collection[str], minimum_age_seconds: float) -> str:
    """Remove versions from the cache that are old and not in `keep`.

    Raises:
        WeightsError: the cache cannot be written to.
    """
    pruned = Pruning(frozenset(keep), minimum_age_seconds, time.time(), log).prune(places)
    return ending.pruned(pruned.versions, pruned.size)


def _verified_anew(weights: Weights, places: Places, log: Log) -> str:
    began = time.monotonic()
    entries = mounted.verify(weights, places, log)
    size = sum(entry.size for entry in entries)
    return ending.verified(weights.directory, size, time.monotonic() - began, reused=False)


def _model(environ: Environ) -> ModelSpec:
    try:
        return config.load(environ, also_known=credentials.VARIABLES)[0]
    except config.ConfigError as error:
        raise WeightsError(Code.CONFIGURATION_INVALID, "", str(error)) from None


def _weights(model: ModelSpec) -> Weights:
    if model.weights is None:
        raise WeightsError(Code.CONFIGURATION_INVALID, "", "spec.model.weights is not set")
    return model.weights

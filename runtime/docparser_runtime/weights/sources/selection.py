"""Which source the spec names."""

from docparser_api.weights import Weights

from docparser_runtime.weights.credentials import Credentials
from docparser_runtime.weights.errors import Code, WeightsError
from docparser_runtime.weights.sources.base import Source


def open_source(weights: Weights, credentials: Credentials) -> Source:
    """Return the source of fetched weights. Must be called where an event loop runs.

    Raises:
        WeightsError: none is named.
    """
    source = weights.source
    if source.s3 is not None:
        from docparser_runtime.weights.sources.s3 import S3Source  # noqa: PLC0415

        return S3Source(source.s3, credentials)
    from docparser_runtime.weights.sources.http import HttpSource  # noqa: PLC0415

    if source.http is not None:
        return HttpSource(source.http.url, credentials)
    if source.hugging_face is not None:
        from docparser_runtime.weights.sources import huggingface  # noqa: PLC0415

        return HttpSource(huggingface.address(source.hugging_face), credentials)
    raise WeightsError(
        Code.CONFIGURATION_INVALID, "", "spec.model.weights.source names nothing to fetch from"
    )

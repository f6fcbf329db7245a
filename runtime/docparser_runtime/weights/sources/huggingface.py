"""Weights of the Hugging Face hub, or of a server with its layout."""

from urllib.parse import quote

from docparser_api.weights import HuggingFaceSource


def address(source: HuggingFaceSource) -> str:
    """Return the address below which the files of the repository lie.

    The hub redirects large files to another host, which must not see the token.
    """
    revision = quote(source.revision, safe="")
    return f"{source.endpoint.rstrip('/')}/{source.repository}/resolve/{revision}"

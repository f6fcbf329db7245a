"""Documents that a request names by their address."""

from dataclasses import replace
from typing import Final, Protocol, TypeVar

from docparser_api.runtime import UPLOAD_TIMEOUT_SECONDS

from docparser_runtime.body import Lease
from docparser_runtime.errors import EmptyDocument
from docparser_runtime.schemas import Options
from docparser_runtime.uploads import Upload

Asked = TypeVar("Asked", bound=Options)

_TIMEOUT_SECONDS: Final = float(UPLOAD_TIMEOUT_SECONDS)
"""A document that is fetched has as long as one that is sent."""


class Fetching(Protocol):
    """What fetches."""

    async def fetch(self, url: str, max_bytes: int, timeout_seconds: float) -> bytes:
        """Return what lies at `url`. Raises typed errors, also where it may not be asked for."""
        ...


class UrlSources:
    """Fetches documents for requests."""

    def __init__(self, fetching: Fetching, max_bytes: int) -> None:
        self._fetching = fetching
        self._max_bytes = max_bytes

    async def fetched(self, upload: Upload[Asked], lease: Lease) -> Upload[Asked]:
        """Return `upload` with its document; it counts as a part of the request's body.

        Raises:
            UrlNotAllowed: the configuration does not allow its address.
            UrlUnreachable: nothing could be fetched.
            EmptyDocument: nothing lies there.
        """
        if upload.url is None:
            return upload
        content = await self._fetching.fetch(upload.url, self._max_bytes, _TIMEOUT_SECONDS)
        if not content:
            raise EmptyDocument("What lies at the address has zero bytes.")
        lease.take(len(content))
        return replace(upload, documents=(content,), url=None)

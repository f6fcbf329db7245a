"""Fetches documents from the web for a service that does not fetch them itself."""

import asyncio
from typing import Final

import httpx

MOST_BYTES: Final = 512 * 1024 * 1024
LONGEST_SECONDS: Final = 600.0
_SILENCE_SECONDS: Final = 30.0
_MOST_REDIRECTS: Final = 5


class DownloadError(Exception):
    """The document cannot be fetched. The message holds nothing of the URL."""


def web(transport: httpx.AsyncBaseTransport | None = None) -> httpx.AsyncClient:
    """Return what fetches; it knows no token of the service. No transport means the network."""
    return httpx.AsyncClient(
        timeout=_SILENCE_SECONDS,
        follow_redirects=True,
        max_redirects=_MOST_REDIRECTS,
        transport=transport,
    )


async def downloaded(http: httpx.AsyncClient, url: str, most_bytes: int = MOST_BYTES) -> bytes:
    """Return what lies at `url`.

    Raises:
        DownloadError: nothing, or more than `most_bytes`, or it came too slowly.
    """
    content = bytearray()
    try:
        async with asyncio.timeout(LONGEST_SECONDS), http.stream("GET", url) as response:
            if not response.is_success:
                raise DownloadError(f"the web server answered {response.status_code}")
            async for chunk in response.aiter_bytes():
                content += chunk
                if len(content) > most_bytes:
                    raise DownloadError(f"it has more than {most_bytes} bytes")
    except (TimeoutError, httpx.TimeoutException):
        raise DownloadError("it came too slowly") from None
    except (httpx.HTTPError, httpx.InvalidURL):
        raise DownloadError("the web server cannot be reached or gave no proper answer") from None
    return bytes(content)

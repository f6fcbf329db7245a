"""Fetches small texts over HTTP from servers that are not trusted."""

from typing import Final, Protocol

import aiohttp

MOST_BYTES: Final = 4 * 1024 * 1024
"""Longest body that is read: some hundred times a pod's metrics."""

_CHUNK_BYTES: Final = 64 * 1024


class FetchError(Exception):
    """There is no text.

    Attributes:
        result: why, in one word for a metric's label.
    """

    def __init__(self, result: str, message: str) -> None:
        super().__init__(message)
        self.result = result


class Fetch(Protocol):
    """Fetches texts."""

    async def text(self, url: str, timeout_seconds: float, token: str | None = None) -> str:
        """Return the body at `url`.

        Raises:
            FetchError: it cannot be had in time, or is not what was asked for.
        """
        ...

    async def close(self) -> None:
        """Close the connections."""
        ...


class HttpFetch:
    """Fetches over HTTP. No redirect is followed, no proxy used, no cookie kept.

    To be made within a running event loop.
    """

    def __init__(self) -> None:
        self._session = aiohttp.ClientSession(
            # The callers bound how much they ask for at once; one that is slow must not hold up
            # the others here.
            connector=aiohttp.TCPConnector(limit=0),
            cookie_jar=aiohttp.DummyCookieJar(),
            # A small body can unpack into a huge one.
            headers={"Accept-Encoding": "identity"},
            auto_decompress=False,
        )

    async def text(self, url: str, timeout_seconds: float, token: str | None = None) -> str:
        """Return the body at `url`."""
        headers = {"Authorization": f"Bearer {token}"} if token else None
        timeout = aiohttp.ClientTimeout(total=timeout_seconds)
        try:
            async with self._session.get(
                url, headers=headers, timeout=timeout, allow_redirects=False
            ) as response:
                if response.status != 200:  # noqa: PLR2004 (HTTP)
                    raise FetchError("status", f"HTTP status {response.status}")
                body = await _body(response)
        except TimeoutError:
            raise FetchError("timeout", f"no answer within {timeout_seconds:g} s") from None
        except (aiohttp.ClientError, OSError, ValueError) as error:
            # Words of the error may hold an address or a token's remains.
            raise FetchError("unreachable", type(error).__name__) from None
        return body.decode(errors="replace")

    async def close(self) -> None:
        """Close the connections."""
        await self._session.close()


async def _body(response: aiohttp.ClientResponse) -> bytes:
    body = bytearray()
    async for chunk in response.content.iter_chunked(_CHUNK_BYTES):
        body += chunk
        if len(body) > MOST_BYTES:
            raise FetchError("too_large", f"more than {MOST_BYTES} bytes")
    return bytes(body)

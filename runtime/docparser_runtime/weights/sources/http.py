"""Weights on a web server: whole files and ranges of them, with a bearer token where one is set."""

import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Final
from urllib.parse import quote

import httpx

from docparser_runtime.weights.credentials import Credentials
from docparser_runtime.weights.errors import Code, InterruptedRead, WeightsError
from docparser_runtime.weights.manifest import File
from docparser_runtime.weights.sources.base import (
    CHUNK_BYTES,
    CONNECT_SECONDS,
    READ_SECONDS,
    RangesIgnored,
)
from docparser_runtime.weights.verification import refuse_size

_MOST_REDIRECTS: Final = 5
_CONTENT_RANGE: Final = re.compile(r"bytes (\d+)-\d+/(\d+|\*)")
_OK: Final = 200
_PARTIAL: Final = 206
_UNSATISFIABLE: Final = 416
_DENIED: Final = (401, 403)
_MISSING: Final = (404, 410)
_PASSING: Final = (408, 425, 429)
_SERVER_ERROR: Final = 500


class HttpSource:
    """Files below one address."""

    def __init__(self, base: str, credentials: Credentials) -> None:
        self._base = httpx.URL(base.rstrip("/") + "/")
        self._credentials = credentials
        self._client = httpx.AsyncClient(
            timeout=httpx.Timeout(READ_SECONDS, connect=CONNECT_SECONDS, pool=None),
            limits=httpx.Limits(max_connections=None),
            follow_redirects=False,
        )

    async def read(self, file: File, start: int, end: int) -> AsyncGenerator[bytes, None]:
        """Yield bytes `start` to `end` of `file`."""
        headers = {} if (start, end) == (0, file.size) else {"Range": f"bytes={start}-{end - 1}"}
        async with self._answer(file.path, headers) as response:
            _check(response, file, start, end)
            async for chunk in response.aiter_raw(CHUNK_BYTES):
                yield chunk

    async def read_whole(self, path: str, most_bytes: int) -> bytes:
        """Return the content of the file."""
        content = bytearray()
        async with self._answer(path, {}) as response:
            async for chunk in response.aiter_raw(CHUNK_BYTES):
                content += chunk
                if len(content) > most_bytes:
                    break
        return bytes(content)

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    @asynccontextmanager
    async def _answer(
        self, path: str, headers: dict[str, str]
    ) -> AsyncGenerator[httpx.Response, None]:
        """Yield the answer with the content, after redirects."""
        url = self._base.join(quote(path))
        try:
            for _ in range(_MOST_REDIRECTS + 1):
                async with self._client.stream(
                    "GET", url, headers=self._headers(url) | headers
                ) as response:
                    if not response.has_redirect_location:
                        _refuse_status(response.status_code, path, url.host)
                        yield response
                        return
                    url = _redirected(url, response.headers["Location"], path)
        except httpx.TransportError as error:
            reason = self._credentials.redacted(f"{type(error).__name__} {error}".strip())
            raise InterruptedRead(
                Code.SOURCE_UNAVAILABLE, path, f"{url.host} does not answer: {reason}"
            ) from None
        raise WeightsError(Code.SOURCE_UNAVAILABLE, path, "the server redirects without end")

    def _headers(self, url: httpx.URL) -> dict[str, str]:
        # Digests and ranges are those of the file as it is, not of a compressed one.
        headers = {"Accept-Encoding": "identity"}
        token = self._credentials.token
        if token is not None and _origin(url) == _origin(self._base):
            headers["Authorization"] = f"Bearer {token}"
        return headers


def _origin(url: httpx.URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port


def _redirected(url: httpx.URL, location: str, path: str) -> httpx.URL:
    try:
        target = url.join(location)
    except httpx.InvalidURL:
        raise WeightsError(
            Code.SOURCE_UNAVAILABLE, path, "the server redirects to what is no address"
        ) from None
    if target.scheme not in ("http", "https") or (url.scheme, target.scheme) == ("https", "http"):
        raise WeightsError(
            Code.SOURCE_UNAVAILABLE, path, f"{url.host} redirects to {target.scheme}; refused"
        )
    return target


def _refuse_status(status: int, path: str, host: str) -> None:
    if status in (_OK, _PARTIAL):
        return
    message = f"{host} answers with status {status}"
    if status in _DENIED:
        message += "; check the token in secretRef and what it may read"
        raise WeightsError(Code.ACCESS_DENIED, path, message)
    if status in _MISSING:
        raise WeightsError(Code.FILE_MISSING, path, message)
    if status == _UNSATISFIABLE:
        message += ": the file is shorter than the manifest says"
        raise WeightsError(Code.FILE_SHORT, path, message)
    if status >= _SERVER_ERROR or status in _PASSING:
        raise InterruptedRead(Code.SOURCE_UNAVAILABLE, path, message)
    raise WeightsError(Code.SOURCE_UNAVAILABLE, path, message)


def _check(response: httpx.Response, file: File, start: int, end: int) -> None:
    """Refuse an answer that does not hold the bytes that were asked for."""
    if response.status_code == _OK:
        if (start, end) != (0, file.size):
            raise RangesIgnored
        if "Content-Length" in response.headers:
            refuse_size(file, int(response.headers["Content-Length"]))
        return
    found = _CONTENT_RANGE.fullmatch(response.headers.get("Content-Range", ""))
    if found is None or int(found[1]) != start:
        raise WeightsError(
            Code.SOURCE_UNAVAILABLE, file.path, "the server answers with another range than asked"
        )
    if found[2] != "*":
        refuse_size(file, int(found[2]))

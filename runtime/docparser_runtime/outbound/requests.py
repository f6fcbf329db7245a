"""Requests to addresses that clients name: to checked addresses only, no further than there."""

import asyncio
import ssl
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import Final

import httpx

from docparser_runtime.errors import DocumentTooLarge
from docparser_runtime.outbound.errors import UrlNotAllowed, UrlUnreachable
from docparser_runtime.outbound.policy import Policy
from docparser_runtime.outbound.targets import Resolver, Target, target_of

_CONNECT_SECONDS: Final = 5.0
_HEADERS: Final = {
    "User-Agent": "docparser-runtime",
    # A small answer must not become a large one by being unpacked.
    "Accept-Encoding": "identity",
}


class Outbound:
    """Sends requests where the policy allows it.

    Each name is looked up once, and the connection goes to an address that was checked; the name
    serves for the header Host and the certificate. Redirects are refused, and proxies that the
    environment names are not used.
    """

    def __init__(self, policy: Policy, resolver: Resolver, tls: ssl.SSLContext) -> None:
        self._policy = policy
        self._resolver = resolver
        self._tls = tls

    async def check(self, url: str) -> None:
        """Return when requests to `url` are allowed now. Nothing is sent but the name's look-up.

        Raises:
            UrlNotAllowed: they are not.
            UrlUnreachable: the name has no addresses.
        """
        await target_of(url, self._policy, self._resolver)

    async def fetch(self, url: str, max_bytes: int, timeout_seconds: float) -> bytes:
        """Return what lies at `url`.

        Raises:
            UrlNotAllowed: the policy forbids it, or the answer is a redirect.
            UrlUnreachable: there is no answer in that time, or another one than 200.
            DocumentTooLarge: it has more than `max_bytes`.
        """
        async with self._answer("GET", url, timeout_seconds) as response:
            if response.status_code != HTTPStatus.OK:
                raise UrlUnreachable(f"The URL answers with status {response.status_code}.")
            if response.headers.get("Content-Encoding", "identity") != "identity":
                raise UrlUnreachable("The URL answers with packed content, unasked.")
            return await _content(response, max_bytes)

    async def post(
        self, url: str, body: bytes, headers: Mapping[str, str], timeout_seconds: float
    ) -> int:
        """Send `body` and return the status of the answer, whose content nobody reads.

        Raises:
            UrlNotAllowed: the policy forbids it, or the answer is a redirect.
            UrlUnreachable: there is no answer in that time.
        """
        async with self._answer("POST", url, timeout_seconds, headers, body) as response:
            return response.status_code

    @asynccontextmanager
    async def _answer(
        self,
        method: str,
        url: str,
        timeout_seconds: float,
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
    ) -> AsyncGenerator[httpx.Response, None]:
        try:
            async with (
                asyncio.timeout(timeout_seconds),
                httpx.AsyncClient(
                    verify=self._tls,
                    trust_env=False,
                    timeout=httpx.Timeout(timeout_seconds, connect=_CONNECT_SECONDS),
                    headers=_HEADERS,
                ) as client,
            ):
                target = await target_of(url, self._policy, self._resolver)
                response = await _sent(client, target, (method, headers or {}, body))
                try:
                    if response.has_redirect_location:
                        raise UrlNotAllowed("The URL answers with a redirect; name where it leads.")
                    yield response
                finally:
                    await response.aclose()
        except TimeoutError:
            raise UrlUnreachable("The URL does not answer in time.") from None
        except httpx.HTTPError as error:
            # What the library says may tell what is behind the address.
            raise UrlUnreachable(f"The URL does not answer: {type(error).__name__}.") from None


async def _sent(
    client: httpx.AsyncClient,
    target: Target,
    request: tuple[str, Mapping[str, str], bytes | None],
) -> httpx.Response:
    """Return the answer of the first address that a connection can be made to."""
    method, headers, body = request
    *others, last = target.addresses
    for address in [*others, last]:
        built = client.build_request(
            method,
            target.url.copy_with(host=address, fragment=None),
            content=body,
            headers={**headers, "Host": target.url.netloc.decode("ascii")},
            extensions={"sni_hostname": target.host},
        )
        try:
            return await client.send(built, stream=True)
        except (httpx.ConnectError, httpx.ConnectTimeout):
            # Nothing was sent yet, so that no request is sent twice.
            if address == last:
                raise
    raise AssertionError("a target has an address")


async def _content(response: httpx.Response, max_bytes: int) -> bytes:
    content = bytearray()
    if int(response.headers.get("Content-Length", "0")) <= max_bytes:
        async for piece in response.aiter_raw():
            content += piece
            if len(content) > max_bytes:
                break
        else:
            return bytes(content)
    raise DocumentTooLarge(f"The URL leads to more than {max_bytes} bytes.")

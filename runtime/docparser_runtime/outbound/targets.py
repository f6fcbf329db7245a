"""From an address that a client names to the IP addresses that may be connected to."""

import asyncio
import re
import socket
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Final

import httpx

from docparser_runtime.outbound.addresses import address_of
from docparser_runtime.outbound.errors import UrlNotAllowed, UrlUnreachable
from docparser_runtime.outbound.policy import Policy

Resolver = Callable[[str, int], Awaitable[Sequence[str]]]
"""Returns all addresses of a name, IPv4 and IPv6, as text; raises OSError when it has none."""

_MOST_CHARACTERS: Final = 2048
_PLAIN: Final = re.compile(r"https?://[!-~]+", re.IGNORECASE)
"""Visible ASCII. Other characters are read differently by different programs."""
_HOST: Final = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*")
_LOOKS_LIKE_NUMBER: Final = re.compile(r"(.*\.)?(\d+|0x[0-9a-f]*)")
"""Systems take such hosts for IPv4 addresses: octal, hexadecimal, with fewer parts than four."""
_THREADS: Final = 8
_PORTS: Final = {"http": 80, "https": 443}


@dataclass(frozen=True)
class Target:
    """What may be connected to.

    Attributes:
        url: as parsed; its host is `host`.
        host: name or address that the client gave, without a dot at its end.
        addresses: checked addresses, in the order in which they are to be tried.
    """

    url: httpx.URL
    host: str
    addresses: tuple[str, ...]


class SystemResolver:
    """The system's resolver, in threads of its own: slow names must not hold up other work."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="resolver")

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        """Return the addresses of `host`."""
        loop = asyncio.get_running_loop()
        found = await loop.run_in_executor(self._threads, _look_up, host, port)
        return list(dict.fromkeys(str(entry[4][0]) for entry in found))

    def close(self) -> None:
        """Begin no more look-ups."""
        self._threads.shutdown(wait=False, cancel_futures=True)


def _look_up(host: str, port: int) -> list[Any]:
    return list(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))


async def target_of(text: str, policy: Policy, resolver: Resolver) -> Target:
    """Return where `text` leads; its name is looked up once.

    Raises:
        UrlNotAllowed: it has another form than an address of the web, or the policy forbids one of
            the addresses that it leads to.
        UrlUnreachable: the name has no addresses.
    """
    url = _parsed(text)
    host = url.raw_host.decode("ascii").lower().removesuffix(".")
    port = _PORTS[url.scheme] if url.port is None else url.port
    literal = _literal(host)
    if not policy.allows_port(url.scheme, port):
        raise UrlNotAllowed("The URL has a port that is not allowed.")
    if not policy.may_allow(host):
        raise UrlNotAllowed("The URL has a host that is not allowed.")
    found = [literal] if literal else await _resolved(host, port, resolver)
    # One forbidden address among others is no accident, or will be chosen at the next try.
    if not all(_is_allowed(host, address, policy) for address in found):
        raise UrlNotAllowed("The URL leads to a network that is not allowed.")
    return Target(url, host, tuple(found))


def _parsed(text: str) -> httpx.URL:
    if len(text) > _MOST_CHARACTERS:
        raise UrlNotAllowed(f"The URL has more than {_MOST_CHARACTERS} characters.")
    if not _PLAIN.fullmatch(text) or "\\" in text:
        raise UrlNotAllowed("The URL must begin with https:// or http://, in plain ASCII.")
    try:
        url = httpx.URL(text)
    except httpx.InvalidURL:
        raise UrlNotAllowed("The URL has no valid form.") from None
    if "@" in url.netloc.decode() or url.userinfo:
        raise UrlNotAllowed("The URL must hold no user name and no password.")
    return url


def _literal(host: str) -> str | None:
    """Return the address that the host is; None when it is a name.

    Raises:
        UrlNotAllowed: it is neither.
    """
    try:
        address_of(host)
    except ValueError:
        pass
    else:
        return host
    if not _HOST.fullmatch(host) or _LOOKS_LIKE_NUMBER.fullmatch(host):
        raise UrlNotAllowed("The URL's host is neither a name nor an address in the usual form.")
    return None


async def _resolved(host: str, port: int, resolver: Resolver) -> Sequence[str]:
    try:
        found = await resolver(host, port)
    except (OSError, UnicodeError):
        found = []
    if not found:
        raise UrlUnreachable("The URL's host has no address.")
    return found


def _is_allowed(host: str, address: str, policy: Policy) -> bool:
    try:
        return policy.allows(host, address_of(address))
    except ValueError:
        return False

"""Addresses of clients: which one a request comes from, and whether it may."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)
from typing import Final

Address = IPv4Address | IPv6Address
_HOME_BITS: Final = 64
"""Bits of an IPv6 address that its owner does not choose."""


@dataclass(frozen=True)
class Networks:
    """A set of networks."""

    networks: tuple[IPv4Network | IPv6Network, ...]

    @classmethod
    def of(cls, cidrs: Iterable[str]) -> "Networks":
        """Return the networks that `cidrs` name; they are valid."""
        return cls(tuple(ip_network(cidr) for cidr in cidrs))

    def __bool__(self) -> bool:
        return bool(self.networks)

    def __contains__(self, address: Address) -> bool:
        return any(address in network for network in self.networks)


def parsed(text: str) -> Address | None:
    """Return the address that `text` holds, with or without a port; None if it holds none.

    A listener for both families sees IPv4 addresses inside of IPv6 ones; they come out as IPv4.
    """
    text = text.strip()
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def client(peer: str, forwarded: Sequence[str], trusted: Networks) -> Address | None:
    """Return who a request comes from.

    Args:
        peer: the other end of the connection.
        forwarded: the headers X-Forwarded-For. Each proxy appends the address that it sees, so the
            list is read from its end, and only as far as trusted proxies wrote it.
        trusted: addresses of proxies.
    """
    address = parsed(peer)
    hops = ",".join(forwarded).split(",") if forwarded else []
    while hops and address is not None and address in trusted:
        before = parsed(hops.pop())
        if before is None:
            break
        address = before
    return address


def owner(address: Address | None) -> str:
    """Return the name under which what an address does is counted: an IPv6 client has many."""
    if isinstance(address, IPv6Address):
        return str(IPv6Network((int(address) >> _HOME_BITS << _HOME_BITS, _HOME_BITS)))
    return str(address)

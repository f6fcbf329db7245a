"""Which IP addresses belong to the public Internet, whatever form they come in.

Written out, since the standard library's idea of it changes from one release to the next.
"""

from collections.abc import Iterable
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

_V4_SPECIAL: Final = tuple(
    IPv4Network(network)
    for network in (
        "0.0.0.0/8",  # this network
        "10.0.0.0/8",  # private
        "100.64.0.0/10",  # behind carriers' address translation; metadata of one cloud
        "127.0.0.0/8",  # loopback
        "168.63.129.16/32",  # services of one cloud's hosts, though the address looks public
        "169.254.0.0/16",  # link-local; metadata of most clouds
        "172.16.0.0/12",  # private
        "192.0.0.0/24",  # protocol assignments; metadata of one cloud
        "192.0.2.0/24",  # documentation
        "192.31.196.0/24",  # name servers of reverse zones
        "192.52.193.0/24",  # multicast tunnels
        "192.88.99.0/24",  # relays of 6to4
        "192.168.0.0/16",  # private
        "192.175.48.0/24",  # name servers of reverse zones
        "198.18.0.0/15",  # benchmarks
        "198.51.100.0/24",  # documentation
        "203.0.113.0/24",  # documentation
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, and broadcast
    )
)
_V6_GLOBAL: Final = IPv6Network("2000::/3")
_V6_SPECIAL: Final = tuple(
    IPv6Network(network)
    for network in (
        "2001::/23",  # protocol assignments, among them Teredo tunnels
        "2001:db8::/32",  # documentation
        "2002::/16",  # 6to4 tunnels, to IPv4 addresses of any kind
        "2620:4f:8000::/48",  # name servers of reverse zones
        "3fff::/20",  # documentation
    )
)
_MAPPED: Final = IPv6Network("::ffff:0:0/96")
_TRANSLATED: Final = IPv6Network("64:ff9b::/96")
"""Where IPv6-only networks reach IPv4 addresses."""


def address_of(text: str) -> Address:
    """Return the address, as IPv4 where an IPv6 one only wraps it.

    Raises:
        ValueError: it is none, or has a zone, which only local addresses have.
    """
    address = ip_address(text)
    if isinstance(address, IPv4Address):
        return address
    if address.scope_id is not None:
        raise ValueError("an address with a zone")
    if address in _MAPPED or address in _TRANSLATED:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address


def is_public(address: Address) -> bool:
    """Return whether it is a host's address on the public Internet."""
    if isinstance(address, IPv4Address):
        return not is_in(address, _V4_SPECIAL)
    return address in _V6_GLOBAL and not is_in(address, _V6_SPECIAL)


def is_in(address: Address, networks: Iterable[Network]) -> bool:
    """Return whether one of `networks` holds the address."""
    return any(address in network for network in networks)


def network_of(text: str) -> Network:
    """Return the network in CIDR notation.

    Raises:
        ValueError: it is none, or has bits set behind its prefix.
    """
    return ip_network(text)

from ipaddress import ip_address

import pytest
from docparser_runtime.security import addresses
from docparser_runtime.security.addresses import Networks

PROXIES = Networks.of(["10.0.0.0/8", "fd00::/8"])
NOBODY = Networks.of([])


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("192.0.2.1", "192.0.2.1"),
        (" 192.0.2.1 ", "192.0.2.1"),
        ("192.0.2.1:8080", "192.0.2.1"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("[2001:db8::1]:8080", "2001:db8::1"),
        ("[2001:db8::1]", "2001:db8::1"),
        ("2001:db8::1", "2001:db8::1"),
        ("fe80::1%eth0", "fe80::1"),
    ],
)
def test_addresses_are_found(text: str, address: str) -> None:
    assert addresses.parsed(text) == ip_address(address)


@pytest.mark.parametrize("text", ["", "unknown", "_hidden", "1.2.3", "0177.0.0.1", "[", ":", "é"])
def test_what_is_no_address_is_none(text: str) -> None:
    assert addresses.parsed(text) is None


@pytest.mark.parametrize(
    ("peer", "forwarded", "client"),
    [
        ("192.0.2.1", [], "192.0.2.1"),
        ("192.0.2.1", ["198.51.100.7"], "192.0.2.1"),
        ("10.1.1.1", ["198.51.100.7"], "198.51.100.7"),
        ("::ffff:10.1.1.1", ["198.51.100.7"], "198.51.100.7"),
        ("10.1.1.1", ["203.0.113.9, 198.51.100.7"], "198.51.100.7"),
        ("10.1.1.1", ["203.0.113.9", "198.51.100.7"], "198.51.100.7"),
        ("10.1.1.1", ["203.0.113.9, 198.51.100.7,10.2.2.2"], "198.51.100.7"),
        ("10.1.1.1", ["10.3.3.3"], "10.3.3.3"),
        ("fd00::1", ["2001:db8::1"], "2001:db8::1"),
        ("10.1.1.1", ["198.51.100.7, nonsense"], "10.1.1.1"),
        ("10.1.1.1", [""], "10.1.1.1"),
    ],
)
def test_only_what_trusted_proxies_wrote_is_believed(
    peer: str, forwarded: list[str], client: str
) -> None:
    assert addresses.client(peer, forwarded, PROXIES) == ip_address(client)


def test_without_proxies_the_peer_is_the_client() -> None:
    assert addresses.client("10.1.1.1", ["192.0.2.1"], NOBODY) == ip_address("10.1.1.1")
    assert addresses.client("", ["192.0.2.1"], PROXIES) is None


def test_networks_hold_their_own_kind_only() -> None:
    assert ip_address("10.255.0.1") in PROXIES
    assert ip_address("11.0.0.1") not in PROXIES
    assert ip_address("::10.0.0.1") not in PROXIES
    assert ip_address("fd12::1") in PROXIES
    assert PROXIES
    assert not NOBODY


def test_addresses_of_one_owner_are_one() -> None:
    owners = {addresses.owner(ip_address(f"2001:db8::{last}")) for last in (1, 2, "ffff:1")}
    assert owners == {"2001:db8::/64"}
    assert addresses.owner(ip_address("2001:db8:0:1::1")) not in owners
    assert addresses.owner(ip_address("192.0.2.1")) == "192.0.2.1"
    assert addresses.owner(None) == "None"

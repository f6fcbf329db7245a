"""What a configuration allows."""

import pytest
from docparser_runtime.config import ConfigError
from docparser_runtime.outbound.addresses import address_of
from docparser_runtime.outbound.policy import Policy, policy_of

PUBLIC, PRIVATE = "8.8.8.8", "10.1.2.3"


@pytest.mark.parametrize(
    ("pattern", "host", "matches"),
    [
        ("example.com", "example.com", True),
        ("Example.COM.", "example.com", True),
        ("example.com", "www.example.com", False),
        ("example.com", "badexample.com", False),
        ("*.example.com", "www.example.com", True),
        ("*.example.com", "a.b.example.com", True),
        ("*.example.com", "example.com", False),
        ("*.example.com", "badexample.com", False),
        ("*.example.com", ".example.com", False),
        ("*.example.com", "example.com.evil.test", False),
        ("*", "anything.test", True),
    ],
)
def test_hosts(pattern: str, host: str, matches: bool) -> None:  # noqa: FBT001 (a column)
    policy = policy_of([pattern], [])
    assert policy.allows(host, address_of(PUBLIC)) is matches
    assert policy.may_allow(host) is matches
    assert not policy.allows(host, address_of(PRIVATE))


@pytest.mark.parametrize("address", [PUBLIC, PRIVATE, "::1"])
def test_nothing_is_allowed_unless_something_is(address: str) -> None:
    assert not Policy().allows("example.com", address_of(address))
    assert not Policy().may_allow("example.com")


def test_networks_are_allowed_under_any_name() -> None:
    policy = policy_of([], ["10.0.0.0/8", "fd00::/8"])
    assert policy.may_allow("any.test")
    for address in ("10.1.2.3", "::ffff:10.1.2.3", "fd00::1"):
        assert policy.allows("any.test", address_of(address))
    for address in (PUBLIC, "127.0.0.1", "11.0.0.1", "fe80::1"):
        assert not policy.allows("any.test", address_of(address))


@pytest.mark.parametrize(
    ("scheme", "port", "allowed"),
    [
        ("http", 80, True), ("https", 443, True), ("http", 443, False), ("https", 80, False),
        ("http", 8080, True), ("https", 8080, True), ("http", 22, False), ("ftp", 8080, False),
        ("http", 0, False),
    ],
)  # fmt: skip
def test_ports(scheme: str, port: int, allowed: bool) -> None:  # noqa: FBT001 (a column)
    assert policy_of([], [], [8080]).allows_port(scheme, port) is allowed


@pytest.mark.parametrize(
    "host",
    ["", "http://example.com", "*example.com", "a.*.com", "exa mple.com", "a/b", "**", "a..b"],
)
def test_patterns_that_mean_nothing(host: str) -> None:
    with pytest.raises(ConfigError, match="no name of hosts"):
        policy_of([host], [])


@pytest.mark.parametrize("network", ["", "10.0.0.1/8", "10.0.0.0/33", "example.com", "10/8"])
def test_networks_that_mean_nothing(network: str) -> None:
    with pytest.raises(ConfigError, match="no network"):
        policy_of([], [network])

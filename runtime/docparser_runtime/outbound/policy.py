"""Where requests may go, as the configuration says: nowhere, unless it names hosts or networks."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from docparser_runtime.config import ConfigError
from docparser_runtime.outbound.addresses import Address, Network, is_in, is_public, network_of

_PORTS: Final = {"http": 80, "https": 443}
_ANY: Final = "*"
_PATTERN: Final = re.compile(r"(\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)*")


@dataclass(frozen=True)
class Policy:
    """What is allowed.

    Attributes:
        hosts: names that may be reached where their addresses are public: `example.com`,
            `*.example.com` for all names below it, `*` for any.
        networks: addresses that may be reached under any name, though they need not be public.
        ports: further ports than that of the scheme.
    """

    hosts: tuple[str, ...] = ()
    networks: tuple[Network, ...] = ()
    ports: frozenset[int] = frozenset()

    def allows_port(self, scheme: str, port: int) -> bool:
        """Return whether requests of this scheme may go to `port`."""
        return port == _PORTS.get(scheme) or (scheme in _PORTS and port in self.ports)

    def may_allow(self, host: str) -> bool:
        """Return whether `allows` can be true of any address that `host` may have."""
        return bool(self.networks) or self._names(host)

    def allows(self, host: str, address: Address) -> bool:
        """Return whether `host` may be reached at this address."""
        return is_in(address, self.networks) or (self._names(host) and is_public(address))

    def _names(self, host: str) -> bool:
        return any(_matches(pattern, host) for pattern in self.hosts)


def policy_of(hosts: Iterable[str], networks: Iterable[str], ports: Iterable[int] = ()) -> Policy:
    """Return the policy that these words of a configuration mean.

    Raises:
        ConfigError: one of them means nothing; the message names it.
    """
    return Policy(
        tuple(_pattern(host) for host in hosts),
        tuple(_network(network) for network in networks),
        frozenset(ports),
    )


def _pattern(text: str) -> str:
    pattern = text.strip().lower().rstrip(".")
    if pattern != _ANY and not _PATTERN.fullmatch(pattern):
        raise ConfigError(f"{text!r:.80} is no name of hosts: example.com, *.example.com or *")
    return pattern


def _network(text: str) -> Network:
    try:
        return network_of(text.strip())
    except ValueError:
        raise ConfigError(f"{text!r:.80} is no network, such as 10.0.0.0/8") from None


def _matches(pattern: str, host: str) -> bool:
    if pattern.startswith("*."):
        return host.endswith(pattern[1:]) and len(host) >= len(pattern)
    return pattern in (_ANY, host)

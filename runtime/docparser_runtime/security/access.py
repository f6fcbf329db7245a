"""Lets requests in: from an allowed address, with a known token, not too many, before a body."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv6Address
from typing import Final

from docparser_api.runtime import SecurityConfig
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from docparser_runtime.boundary import CLUSTER_PATHS
from docparser_runtime.errors import DocParserError, Forbidden, RateLimited, Unauthorized
from docparser_runtime.page.files import PAGE_PATHS
from docparser_runtime.security import addresses, callers
from docparser_runtime.security.addresses import Address, Networks
from docparser_runtime.security.audit import Audit
from docparser_runtime.security.callers import Caller
from docparser_runtime.security.rates import Buckets, Rate
from docparser_runtime.security.tokens import Grant, Tokens

OPEN_PATHS: Final = CLUSTER_PATHS
"""Paths that everyone may call. The kubelet probes from addresses that nobody knows beforehand, and
the operator measures canaries by metrics from a pod whose address changes."""
_NEEDS_PARSE: Final = "/v1/"
_FAILURES: Final = Rate(per_minute=60)
"""Requests of one address that may fail here before they are refused without a look at the log."""
_MOST_ADDRESSES: Final = 10_000
_MOST_TENANTS: Final = 20_000
_OWN_ADDRESSES: Final = (IPv4Address("127.0.0.1"), IPv6Address("::1"))
_EVERYBODY: Final[frozenset[callers.Scope]] = frozenset((callers.PARSE,))
_OWNER: Final[frozenset[callers.Scope]] = frozenset((callers.PARSE, callers.ADMIN))


@dataclass
class Security:
    """What requests are held against.

    Attributes:
        wants_certificate: whether clients must show a certificate.
        clock_ns: nanoseconds that never go back.
    """

    config: SecurityConfig
    tokens: Tokens
    audit: Audit
    wants_certificate: bool = False
    clock_ns: Callable[[], int] = time.monotonic_ns
    _allowed: Networks = field(init=False)
    _proxies: Networks = field(init=False)
    _requests: Buckets = field(init=False)
    _pages: Buckets = field(init=False)
    _failures: Buckets = field(init=False)

    def __post_init__(self) -> None:
        self._allowed = Networks.of(self.config.allowed_cidrs)
        self._proxies = Networks.of(self.config.trusted_proxies)
        self._requests = Buckets(self.clock_ns, _MOST_TENANTS)
        self._pages = Buckets(self.clock_ns, _MOST_TENANTS)
        self._failures = Buckets(self.clock_ns, _MOST_ADDRESSES)

    def admit(self, scope: Scope) -> Grant:
        """Return what the sender of a request may do, and note in its state who it is.

        Raises:
            Forbidden: its address, its lack of a certificate, or its token forbids it.
            Unauthorized: its token is missing or unknown.
            RateLimited: it has sent too much already.
        """
        headers = Headers(scope=scope)
        address = self._address(scope, headers)
        grant = None
        try:
            self._check_connection(scope, address)
            grant = self._identified(headers, address)
            if scope["path"].startswith(_NEEDS_PARSE):
                grant.caller.check(callers.PARSE)
        except DocParserError as error:
            self._fail(error, address, grant)
            raise
        self._limit(grant)
        state = scope.setdefault("state", {})
        state.update(caller=grant.caller, client=str(address), audit=self.audit)
        return grant

    def admit_address(self, scope: Scope) -> None:
        """Return when a request comes from where requests may come from, whoever sends it.

        Raises:
            Forbidden: its address or its lack of a certificate forbids it.
            RateLimited: too many requests from there have failed.
        """
        address = self._address(scope, Headers(scope=scope))
        try:
            self._check_connection(scope, address)
        except DocParserError as error:
            self._fail(error, address, None)
            raise

    def charge(self, grant: Grant, pages: int) -> None:
        """Count `pages` that have been read or accepted for the holder of `grant`."""
        if grant.pages_per_minute is not None and pages:
            self._pages.take(grant.caller.tenant, Rate(grant.pages_per_minute), pages)

    def _address(self, scope: Scope, headers: Headers) -> Address | None:
        peer = str((scope.get("client") or ("",))[0])
        return addresses.client(peer, headers.getlist("x-forwarded-for"), self._proxies)

    def _check_connection(self, scope: Scope, address: Address | None) -> None:
        if self._allowed and (address is None or address not in self._allowed):
            raise Forbidden("Requests from this address are not allowed.")
        shown = scope.get("extensions", {}).get("tls", {}).get("client_cert_chain")
        if self.wants_certificate and not shown:
            raise Forbidden("Connect with a client certificate.")

    def _identified(self, headers: Headers, address: Address | None) -> Grant:
        if not self.tokens.asked_for:
            return Grant(_anonymous(address, is_direct="x-forwarded-for" not in headers))
        scheme, _, token = headers.get("authorization", "").partition(" ")
        grant = self.tokens.keyring.grant(token.strip())
        if scheme.lower() != "bearer" or grant is None:
            raise Unauthorized(
                "Send the header Authorization: Bearer <token>.",
                headers={"WWW-Authenticate": 'Bearer realm="docparser"'},
            )
        return grant

    def _fail(self, error: DocParserError, address: Address | None, grant: Grant | None) -> None:
        """Write the failure down, unless there are too many of them."""
        owner = addresses.owner(address)
        if wait := self._failures.wait_seconds(owner, _FAILURES):
            raise _too_many("failed requests from this address", wait) from None
        self._failures.take(owner, _FAILURES)
        tenant = None if grant is None else grant.caller.tenant
        self.audit.write(
            "authenticate", error.code, tenant=tenant, client=str(address), task_id=None
        )

    def _limit(self, grant: Grant) -> None:
        tenant = grant.caller.tenant
        requests = grant.requests_per_minute or self.config.requests_per_minute
        if grant.pages_per_minute is not None:
            pages = Rate(grant.pages_per_minute)
            if wait := self._pages.wait_seconds(tenant, pages):
                raise _too_many("pages of this tenant", wait)
        if requests is not None:
            if wait := self._requests.wait_seconds(tenant, Rate(requests)):
                raise _too_many("requests of this tenant", wait)
            self._requests.take(tenant, Rate(requests))


class Access:
    """ASGI middleware that lets only those requests pass that `security` admits."""

    def __init__(self, app: ASGIApp, security: Security) -> None:
        self._app = app
        self._security = security

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http" or scope["path"] in OPEN_PATHS:
            await self._app(scope, receive, send)
            return
        if scope["path"] in PAGE_PATHS:
            self._security.admit_address(scope)
            await self._app(scope, receive, send)
            return
        grant = self._security.admit(scope)
        try:
            await self._app(scope, receive, send)
        finally:
            if scope["method"] == "POST":
                self._security.charge(grant, scope["state"].get("pages", 0))


def _anonymous(address: Address | None, *, is_direct: bool) -> Caller:
    """Return who calls where nobody needs a token: on the same machine, its owner."""
    is_own = is_direct and address in _OWN_ADDRESSES
    return Caller(callers.DEFAULT_TENANT, _OWNER if is_own else _EVERYBODY)


def _too_many(what: str, wait_seconds: int) -> RateLimited:
    return RateLimited(
        f"Too many {what}; try again in {wait_seconds} seconds.",
        headers={"Retry-After": str(wait_seconds)},
    )

"""Who calls: the tenant behind a token and what the token lets it do."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Annotated, Final, Literal, cast

from fastapi import Depends, Request

from docparser_runtime.errors import Forbidden

Scope = Literal["parse", "admin"]
PARSE: Final = "parse"
ADMIN: Final = "admin"
DEFAULT_TENANT: Final = "default"
"""Tenant of everyone where no token is asked for, and of the token that stands alone."""


@dataclass(frozen=True)
class Caller:
    """Who sent a request.

    Attributes:
        scopes: what it may do: `parse` documents and see its own tasks, or `admin`.
    """

    tenant: str
    scopes: frozenset[Scope]

    def check(self, scope: Scope) -> None:
        """Return when the caller may do what `scope` stands for.

        Raises:
            Forbidden: it may not.
        """
        if scope not in self.scopes:
            raise Forbidden(f"This needs the scope {scope}, which the caller has not got.")


def caller_of(request: Request) -> Caller:
    """Return who sent `request`, which has been let in."""
    return cast("Caller", request.state.caller)


def needs(scope: Scope) -> Callable[[Request], Awaitable[None]]:
    """Return a dependency of routes that only callers with `scope` may use."""

    async def check(request: Request) -> None:
        caller_of(request).check(scope)

    return check


async def _in_route(request: Request) -> Caller:
    return caller_of(request)


InCaller = Annotated[Caller, Depends(_in_route)]

"""A service behind doors of a test's choice, called from addresses of its choice."""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest
from docparser_api.runtime import SecurityConfig
from docparser_runtime import logs
from docparser_runtime.app import create_app
from unit.runtime.doubles import Service
from unit.runtime.security.doors import Clock, Guarded, security


@pytest.fixture
async def guard(service: Service) -> AsyncIterator[Callable[..., Guarded]]:
    """Yield a function that puts doors before the service; its arguments are their rules."""
    async with AsyncExitStack() as stack:
        clients: list[httpx.AsyncClient] = []

        def guard_service(
            *,
            token: str | None = None,
            file: Path | None = None,
            wants_certificate: bool = False,
            **rules: Any,
        ) -> Guarded:
            clock = Clock()
            doors = security(
                service.log,
                SecurityConfig(**rules),
                token=token,
                file=file,
                clock_ns=clock,
                wants_certificate=wants_certificate,
            )
            app = create_app(service.context, logs.create(service.log, "info"), doors)
            return Guarded(service, app, doors, clock, clients)

        stack.push_async_callback(_close, clients)
        yield guard_service


async def _close(clients: list[httpx.AsyncClient]) -> None:
    for client in clients:
        await client.aclose()

"""Servers on loopback that answer as runtime pods do, or fail in every way."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from aiohttp import web
from docparser_api.names import PATH_METRICS, PATH_PARSE
from docparser_operator.analysis.fetch import FetchError


def exposed(requests: int, errors: int = 0) -> str:
    """Return what a pod exposes."""
    head = "# TYPE docparser_requests_total counter\n"
    labels = (("200", requests - errors), ("500", errors))
    return head + "".join(
        f'docparser_requests_total{{route="{PATH_PARSE}",status="{status}",code="x"}} {count}.0\n'
        for status, count in labels
    )


Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass
class Servers:
    """Servers of a test, by address; and the paths that each was asked for."""

    runners: list[web.AppRunner] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    async def start(self, handler: Handler) -> str:
        """Return the address of a new server that answers everything with `handler`."""

        async def handle(request: web.Request) -> web.StreamResponse:
            self.asked.append(request.path_qs)
            return await handler(request)

        app = web.Application()
        app.router.add_get("/{path:.*}", handle)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        self.runners.append(runner)
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        host, port = runner.addresses[0][:2]
        return f"{host}:{port}"

    async def pod(self, text: str) -> str:
        """Return the address of a pod that exposes `text`."""

        async def metrics(_request: web.Request) -> web.Response:
            return web.Response(text=text)

        return await self.start(metrics)

    async def close(self) -> None:
        """End all servers."""
        for runner in self.runners:
            await runner.cleanup()


@dataclass
class FakeFetch:
    """Answers without a network; an answer may take seconds, or be an error.

    Attributes:
        pods: by address, what a pod exposes.
        seconds: by address, how long that takes.
        broken: addresses at which the fetch itself fails.
        tokens: the requests, each with its token.
        running: requests that wait for their answer.
        most: most of them at the same time.
    """

    pods: dict[str, str] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    broken: set[str] = field(default_factory=set)
    tokens: list[tuple[str, str | None]] = field(default_factory=list)
    running: int = 0
    most: int = 0
    closed: bool = False

    async def text(self, url: str, timeout_seconds: float, token: str | None = None) -> str:
        """Return what stands at `url`."""
        address = url.removeprefix("http://").removesuffix(PATH_METRICS)
        self.tokens.append((url, token))
        if address in self.broken:
            raise RuntimeError("a fault of ours")
        self.running += 1
        self.most = max(self.most, self.running)
        try:
            seconds = self.seconds.get(address, 0.0)
            await asyncio.sleep(min(seconds, timeout_seconds))
        finally:
            self.running -= 1
        if seconds > timeout_seconds:
            raise FetchError("timeout", "too slow")
        if address not in self.pods:
            raise FetchError("unreachable", "nobody there")
        return self.pods[address]

    async def close(self) -> None:
        """Close."""
        self.closed = True

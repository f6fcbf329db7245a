"""/healthz, /readyz and /metrics of the operator itself."""

from collections.abc import Callable

from aiohttp import web
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest


def application(
    registry: CollectorRegistry, alive: Callable[[], bool], ready: Callable[[], bool]
) -> web.Application:
    """Return the web application.

    Args:
        registry: the metrics.
        alive: whether a restart would not help.
        ready: whether the cluster has been listed once.
    """

    async def metrics(_: web.Request) -> web.Response:
        body = generate_latest(registry)
        return web.Response(body=body, headers={"Content-Type": CONTENT_TYPE_LATEST})

    async def healthz(_: web.Request) -> web.Response:
        return _answer(alive())

    async def readyz(_: web.Request) -> web.Response:
        return _answer(ready())

    app = web.Application()
    app.router.add_get("/metrics", metrics)
    app.router.add_get("/healthz", healthz)
    app.router.add_get("/readyz", readyz)
    return app


def _answer(good: bool) -> web.Response:  # noqa: FBT001 (the answer is the argument)
    return web.Response(text="ok\n" if good else "not ok\n", status=200 if good else 503)


async def serve(app: web.Application, port: int) -> web.AppRunner:
    """Listen on all addresses; return the runner, to clean up."""
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, port=port).start()
    return runner

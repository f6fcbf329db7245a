import asyncio
import time
from collections.abc import Callable

from aiohttp import web
from docparser_operator.analysis import scraper as scraping
from docparser_operator.analysis.evidence import Totals
from docparser_operator.analysis.fetch import HttpFetch
from docparser_operator.analysis.scraper import ScrapedPod, Scraper, Subject
from docparser_operator.kinds import Key
from docparser_operator.metrics import Metrics
from unit.operator.analysis.pods import Servers, exposed

KEY = Key("ns", "a")


async def looked_once(
    addresses: list[str], metrics: Metrics, check: Callable[[Scraper], None]
) -> None:
    """Let a scraper look once at `addresses`, then hand it to `check`."""
    woken = asyncio.Event()
    made = Scraper(lambda _key: woken.set(), time.monotonic, HttpFetch(), None, metrics)
    pods = (ScrapedPod(address, address, "canary", born_in_window=True) for address in addresses)
    made.watch(KEY, Subject("1", tuple(pods), interval_seconds=300))
    task = asyncio.create_task(made.run())
    await asyncio.wait_for(woken.wait(), 20)
    check(made)
    task.cancel()
    await asyncio.wait([task])
    await made.close()


def canary(made: Scraper) -> Totals:
    found = made.evidence(KEY)
    assert found is not None
    return found.canary


async def test_faults_of_servers_leave_the_others_counted(servers: Servers) -> None:
    async def fail(_request: web.Request) -> web.Response:
        return web.Response(status=500, text=exposed(1000))

    async def redirect(_request: web.Request) -> web.Response:
        return web.Response(status=307, headers={"Location": "/metrics"})

    async def huge(_request: web.Request) -> web.Response:
        return web.Response(text=exposed(1000) + "#" * 5 * 1024 * 1024)

    addresses = [
        await servers.pod(exposed(5, 1)),
        await servers.pod(exposed(7)),
        await servers.start(fail),
        await servers.start(redirect),
        await servers.start(huge),
        await servers.pod("<html>"),
        "127.0.0.1:1",
    ]
    metrics = Metrics()

    def check(made: Scraper) -> None:
        assert canary(made) == Totals(requests=12, server_errors=1)

    await looked_once(addresses, metrics, check)
    expected = {"success": 2, "status": 2, "too_large": 1, "malformed": 1, "unreachable": 1}
    for result, count in expected.items():
        found = metrics.registry.get_sample_value(
            "docparser_operator_scrapes_total", {"result": result}
        )
        assert found == count, result
    assert set(servers.asked) == {"/metrics"}


async def test_pods_beyond_those_asked_at_once_come_later(servers: Servers) -> None:
    running, most = 0, 0

    async def slow(_request: web.Request) -> web.Response:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0.01)
        running -= 1
        return web.Response(text=exposed(1))

    address = await servers.start(slow)
    # One server stands for all; the path that the scraper adds becomes a query.
    addresses = [f"{address}/{number}?" for number in range(60)]

    def check(made: Scraper) -> None:
        assert canary(made) == Totals(requests=60)

    await looked_once(addresses, Metrics(), check)
    assert 1 < most <= scraping.MOST_AT_ONCE

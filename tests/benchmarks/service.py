"""Measures the service itself, with an engine that costs nothing or a known time.

    PYTHONPATH=tests .venv/bin/python tests/benchmarks/service.py latency
    PYTHONPATH=tests .venv/bin/python tests/benchmarks/service.py throughput
    PYTHONPATH=tests .venv/bin/python tests/benchmarks/service.py overload --seconds 120
    PYTHONPATH=tests .venv/bin/python tests/benchmarks/service.py drip

All on the loopback, in processes of their own; clients and service share the machine's cores.
"""

import argparse
import asyncio
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
from docparser_api.names import ENV_DATABASE_URL, ENV_STORE_URL, PATH_PARSE, PATH_TASKS
from docparser_api.runtime import RuntimeConfig
from docparser_runtime.documents.reader import SubprocessReader
from integration.runtime.processes import Program, environment, serving
from integration.runtime.tasks.client import blank_pdf
from support.postgres import running_postgres

PAGE_MILLISECONDS = 50
PLACES = 2
TURNS = 5


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value below which `share` of `values` lie."""
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def told(name: str, seconds: Sequence[float]) -> None:
    """Print median and 99th percentile."""
    p50, p99 = statistics.median(seconds) * 1000, percentile(seconds, 0.99) * 1000
    print(f"{name}: P50 {p50:.1f} ms, P99 {p99:.1f} ms, {len(seconds)} requests")


async def answered(http: httpx.AsyncClient, content: bytes) -> tuple[int, float]:
    """Return status and seconds of one request."""
    began = time.perf_counter()
    headers = {"Content-Type": "application/pdf"}
    answer = await http.post(PATH_PARSE, content=content, headers=headers)
    return answer.status_code, time.perf_counter() - began


async def latency(_: argparse.Namespace) -> None:
    """One client, one page, an engine that takes no time: all that is left is overhead."""
    content = blank_pdf(1)
    async with (
        serving(environment(accessLogPercent=0)) as program,
        httpx.AsyncClient(base_url=program.url) as http,
    ):
        for _number in range(50):
            await answered(http, content)
        whole = [(await answered(http, content))[1] for _ in range(500)]
    drawing = await _drawn(content, 500)
    told("one page, nothing to read", whole)
    told("of that, opening and drawing", drawing)
    added = statistics.median(whole) - statistics.median(drawing)
    print(f"added by service and client: P50 {added * 1000:.1f} ms")


async def _drawn(content: bytes, count: int) -> list[float]:
    """Return the seconds that opening a document and drawing its page take, without a service."""
    reader = SubprocessReader(RuntimeConfig())
    await reader.start()
    seconds = []
    for _ in range(count):
        began = time.perf_counter()
        async with reader.open(content) as document:
            await document.page(0)
        seconds.append(time.perf_counter() - began)
        await asyncio.sleep(0.005)  # as long as a client needs to ask again
    await reader.close()
    return seconds


async def throughput(arguments: argparse.Namespace) -> None:
    """Tasks through a gateway, PostgreSQL and one worker."""
    pages, count = arguments.pages, arguments.tasks
    with (
        tempfile.TemporaryDirectory() as home,
        tempfile.TemporaryDirectory() as store,
        running_postgres(Path(home)) as postgres,
    ):
        shared = {
            ENV_DATABASE_URL: postgres.new_database("bench"),
            ENV_STORE_URL: Path(store).as_uri(),
        }
        environ = environment(accessLogPercent=0, maxConcurrency=4) | shared
        async with (
            serving(environ, role="gateway") as gateway,
            serving(environ, role="worker"),
            httpx.AsyncClient(base_url=gateway.url, timeout=120) as http,
        ):
            seconds = await _all_tasks(http, blank_pdf(pages), count)
    rate = count * pages / seconds
    print(f"{count} tasks of {pages} pages in {seconds:.1f} s: {rate:.0f} pages/s")


async def _all_tasks(http: httpx.AsyncClient, content: bytes, count: int) -> float:
    began = time.perf_counter()
    limit = asyncio.Semaphore(8)

    async def one() -> str:
        async with limit:
            answer = await http.post(PATH_TASKS, files={"file": ("a.pdf", content)})
            answer.raise_for_status()
            return str(answer.json()["id"])

    ids = await asyncio.gather(*(one() for _ in range(count)))
    for task_id in ids:
        while True:
            answer = await http.get(f"{PATH_TASKS}/{task_id}", params={"wait": 60})
            if answer.json()["status"] not in {"queued", "running"}:
                assert answer.json()["status"] == "done", answer.text
                break
    return time.perf_counter() - began


async def overload(arguments: argparse.Namespace) -> None:
    """Ten times as many requests as can be read: those that are accepted get what they should."""
    limits = {
        "fake": {"pageMilliseconds": PAGE_MILLISECONDS},
        "maxConcurrency": PLACES,
        "maxQueueLength": 8,
        "accessLogPercent": 0,
    }
    capacity = PLACES / (PAGE_MILLISECONDS / 1000)
    async with serving(environment(**limits)) as program:
        peak, _ = await _offered(program, capacity * 0.95, arguments.seconds / 4)
        found, seconds = await _offered(program, capacity * 10, arguments.seconds)
    good = found[200] / arguments.seconds
    alone = peak[200] / (arguments.seconds / 4)
    print(f"capacity {capacity:.0f} documents/s; at 95 % of it {alone:.1f} read/s")
    print(f"ten times that: {good:.1f} read/s; answers {dict(found)}")
    told("accepted", seconds[200])
    told("rejected", seconds[429])


async def _offered(
    program: Program, per_second: float, seconds: float
) -> tuple[Counter[int], dict[int, list[float]]]:
    """Send so many requests a second, whatever becomes of those before."""
    content = blank_pdf(1)
    found: Counter[int] = Counter()
    times: dict[int, list[float]] = {200: [], 429: []}
    limits = httpx.Limits(max_connections=400)
    async with (
        httpx.AsyncClient(base_url=program.url, timeout=60, limits=limits) as http,
        asyncio.TaskGroup() as group,
    ):

        async def one() -> None:
            status, took = await answered(http, content)
            found[status] += 1
            times.setdefault(status, []).append(took)

        clock = asyncio.get_running_loop().time
        began = clock()
        for number in range(int(per_second * seconds)):
            await asyncio.sleep(max(0.0, began + number / per_second - clock()))
            group.create_task(one())
    return found, times


async def drip(arguments: argparse.Namespace) -> None:
    """Clients that send a byte a second beside healthy ones."""
    content, held = blank_pdf(1), list[int]()
    async with (
        serving(environment(accessLogPercent=0)) as program,
        httpx.AsyncClient(base_url=program.url) as http,
    ):
        await _healthy(http, content)
        alone, beside = list[float](), list[float]()
        # In turns, so that what the machine does meanwhile is the same for both.
        for _ in range(TURNS):
            alone += await _healthy(http, content)
            async with _dripping(program.url, arguments.connections, held):
                beside += await _healthy(http, content)
    told("alone", alone)
    told(f"beside {min(held)} slow ones", beside)


@asynccontextmanager
async def _dripping(url: str, connections: int, held: list[int]) -> AsyncIterator[None]:
    """Hold so many slow connections, and note how many the service held to the end."""
    options = ("--port", url.rpartition(":")[2], "--connections", str(connections))
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, Path(__file__).with_name("dripping.py"), *options),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    assert await process.stdout.readline() == b"dripping\n"
    try:
        yield
    finally:
        told, _ = await process.communicate(b"")  # closes its input
    held.append(int(told))


async def _healthy(http: httpx.AsyncClient, content: bytes) -> list[float]:
    return [(await answered(http, content))[1] for _ in range(500)]


def main() -> None:
    """Run one measurement."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("latency", "throughput", "overload", "drip"))
    parser.add_argument("--tasks", type=int, default=100)
    parser.add_argument("--pages", type=int, default=20, help="of each task")
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--connections", type=int, default=500)
    arguments = parser.parse_args()
    measure = {"latency": latency, "throughput": throughput, "overload": overload, "drip": drip}
    asyncio.run(measure[arguments.what](arguments))


if __name__ == "__main__":
    main()

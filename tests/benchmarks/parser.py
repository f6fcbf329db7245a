"""What opening a document in a process of its own costs, beyond drawing it.

    PYTHONPATH=tests .venv/bin/python tests/benchmarks/parser.py --documents 200

With `--against`, the Python of another checkout, both take turns, so that the load of the
machine hits both alike. CPU is that of all processes, starting them left out.
"""

import argparse
import asyncio
import io
import json
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from docparser_api.runtime import RuntimeConfig
from docparser_runtime.documents.reader import SubprocessReader
from docparser_runtime.parser_child.images import ImagePages
from docparser_runtime.parser_child.limits import Limits
from docparser_runtime.parser_child.pdf import PdfPages
from PIL import Image
from support.sample_document import prose_pdf

CONFIG = RuntimeConfig(render_dpi=72)
AT_ONCE = 4
DRAWINGS = 50


def small_image() -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (320, 240), "white").save(buffer, "PNG")
    return buffer.getvalue()


DOCUMENTS = {"PDF of one page": prose_pdf(1), "PNG of 320x240": small_image()}


def cpu_seconds() -> float:
    """Return the CPU time of this process and of all that it has waited for."""
    each = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in each)


def drawing_seconds(content: bytes) -> float:
    """Return the CPU time of opening and drawing alone, in this process."""
    limits = Limits(CONFIG.parser_memory_bytes, 20, 1, CONFIG.max_page_pixels, CONFIG.render_dpi)
    began = time.process_time()
    for _ in range(DRAWINGS):
        if content.startswith(b"%PDF"):
            PdfPages(content, None, limits).picture(0)
        else:
            ImagePages(content, "image/png", limits).picture(0)
    return (time.process_time() - began) / DRAWINGS


@asynccontextmanager
async def reading() -> AsyncIterator[SubprocessReader]:
    reader = SubprocessReader(CONFIG)
    await reader.start()
    yield reader
    await reader.close()


async def seconds_of(reader: SubprocessReader, content: bytes) -> float:
    began = time.perf_counter()
    async with reader.open(content) as document:
        await document.page(0)
    return time.perf_counter() - began


async def figures(content: bytes, documents: int) -> dict[str, float]:
    """Return milliseconds and documents per second."""
    began = cpu_seconds()
    async with reading():
        pass
    starting = cpu_seconds() - began
    began = cpu_seconds()
    async with reading() as reader:
        walls = [await seconds_of(reader, content) for _ in range(documents)]
    cpu = (cpu_seconds() - began - starting) / documents
    async with reading() as reader:
        turns = iter(range(documents))

        async def work() -> None:
            for _ in turns:
                await seconds_of(reader, content)

        at = time.perf_counter()
        await asyncio.gather(*(work() for _ in range(AT_ONCE)))
        rate = documents / (time.perf_counter() - at)
    return {
        "CPU ms beyond drawing": 1000 * (cpu - drawing_seconds(content)),
        "wall ms, median": 1000 * statistics.median(walls),
        "wall ms, 90 %": 1000 * sorted(walls)[documents * 9 // 10],
        f"documents/s, {AT_ONCE} at once": rate,
        "start, CPU ms": 1000 * starting,
    }


def descendants(process_id: int | str) -> list[int]:
    """Return the ids of all processes below one, parents first."""
    lists = Path(f"/proc/{process_id}/task").glob("*/children")
    below = [int(child) for each in lists for child in each.read_text().split()]
    return [each for child in below for each in (child, *descendants(child))]


def memory(process_id: int) -> str:
    lines = Path(f"/proc/{process_id}/smaps_rollup").read_text().splitlines()[1:]
    sizes = {line.split(":")[0]: int(line.split()[1]) // 1024 for line in lines}
    return f"RSS {sizes['Rss']} MiB, PSS {sizes['Pss']} MiB"


async def memories() -> list[str]:
    """Return the sizes of all processes while one document is open and one parser is spare."""
    async with reading() as reader, reader.open(DOCUMENTS["PDF of one page"]) as document:
        await document.page(0)
        await asyncio.sleep(0.5)
        return [memory(process_id) for process_id in descendants("self")]


def main() -> None:
    """Print a table for each kind of document; as a worker, print the figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--against", help="Python of another checkout")
    parser.add_argument("--worker", help="kind of document")
    arguments = parser.parse_args()
    if arguments.worker:
        content = DOCUMENTS[arguments.worker]
        print(json.dumps(asyncio.run(figures(content, arguments.documents))))
        return
    pythons = {"this": sys.executable} | ({"other": arguments.against} if arguments.against else {})
    for kind in DOCUMENTS:
        print(f"{kind}, best of {arguments.rounds} rounds of {arguments.documents}")
        compare(pythons, kind, arguments.rounds, arguments.documents)
    print("processes below the service:", *asyncio.run(memories()), sep="\n  ")


def compare(pythons: dict[str, str], kind: str, rounds: int, documents: int) -> None:
    """Print the best figures of each of `pythons`, which take turns."""
    found: dict[str, list[dict[str, float]]] = {name: [] for name in pythons}
    for _ in range(rounds):
        for name, python in pythons.items():
            command = [python, __file__, f"--worker={kind}", f"--documents={documents}"]
            output = subprocess.run(command, check=True, capture_output=True).stdout
            found[name].append(json.loads(output))
    for figure in found["this"][0]:
        best = max if "/s" in figure else min
        shown = (
            f"{name} {best(each[figure] for each in runs):7.1f}" for name, runs in found.items()
        )
        print(f"  {figure:26}", *shown, flush=True)


if __name__ == "__main__":
    main()

"""Time and errors per A4 page of the engine `rapidocr`, against a plain call of the package.

    PYTHONPATH=tests .venv/bin/python tests/benchmarks/rapidocr_pages.py --rounds 5

Both read the same pages in turns, so that whatever else the machine does slows down both. Then
two pages are read one after the other and at the same time, and a service reads documents of one
and of two pages, to see whether both cores work: CPUs used are user and system time of all its
processes by time on the wall. On a machine with other work they are what that leaves.
"""

import argparse
import asyncio
import json
import logging
import os
import statistics
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import httpx
import numpy as np
import pypdfium2  # type: ignore[import-untyped]
from docparser_api.names import ENV_MODEL, PATH_PARSE
from docparser_runtime.engine.base import PageImage, ParseOptions
from docparser_runtime.engine.cpus import usable_cpus
from docparser_runtime.engine.rapidocr import RapidOcrEngine
from integration.runtime.processes import environment, serving
from numpy.typing import NDArray
from support.process_trees import cpu_seconds
from support.sample_document import (
    SAMPLE_PAGES,
    THREE_COLUMN_PAGE,
    character_error_rate,
    plain_text,
    prose_pdf,
    sample_pdf,
    three_column_pdf,
)

Pixels = NDArray[np.uint8]
Reader = Callable[[Pixels], str]
OPTIONS = ParseOptions(max_new_tokens=None)


@dataclass
class Side:
    """What one way of reading took and got wrong, page by page and round by round."""

    read: Reader
    wall_seconds: list[float] = field(default_factory=list)
    cpu_seconds: list[float] = field(default_factory=list)
    errors: list[float] = field(default_factory=list)

    def measure(self, pixels: Pixels, text: str) -> None:
        wall, cpu = time.perf_counter(), time.process_time()
        found = self.read(pixels)
        self.wall_seconds.append(time.perf_counter() - wall)
        self.cpu_seconds.append(time.process_time() - cpu)
        self.errors.append(unordered_error_rate(text, found))

    def report(self, name: str) -> None:
        wall, cpu = statistics.median(self.wall_seconds), statistics.median(self.cpu_seconds)
        errors = statistics.mean(self.errors)
        print(f"{name:22} {wall:6.2f} s {cpu:6.2f} s CPU a page, {errors:.2%} errors", flush=True)


def unordered_error_rate(text: str, found: str) -> float:
    """Return the error rate of the words in alphabetical order: a plain call knows no columns."""
    words = (sorted(plain_text(side).split()) for side in (text, found))
    return character_error_rate(*(" ".join(side) for side in words))


def pages() -> list[tuple[Pixels, str]]:
    """Return the pages of the sample documents at 144 dpi, with their texts."""
    texts = (*SAMPLE_PAGES, THREE_COLUMN_PAGE)
    documents = [pypdfium2.PdfDocument(content) for content in (sample_pdf(), three_column_pdf())]
    drawn = [
        np.asarray(page.render(scale=2, rev_byteorder=True).to_numpy().copy(), np.uint8)
        for document in documents
        for page in document
    ]
    return list(zip(drawn, texts, strict=True))


def plain() -> Reader:
    """Return the package's own pipeline as its documentation calls it."""
    from rapidocr import RapidOCR  # noqa: PLC0415 - slow, and sets up logging
    from rapidocr.utils.output import RapidOCROutput  # noqa: PLC0415

    logging.getLogger("RapidOCR").setLevel(logging.ERROR)
    pipeline = RapidOCR()

    def read(pixels: Pixels) -> str:
        found = pipeline(pixels[:, :, ::-1])
        assert isinstance(found, RapidOCROutput)
        return "\n".join(found.txts or ())

    return read


def own(engine: RapidOcrEngine) -> Reader:
    """Return the engine, which also finds columns, tables and paragraphs."""
    return lambda pixels: engine.parse(PageImage(0, pixels, 144), OPTIONS).markdown


def report_cores(engine: RapidOcrEngine, pixels: Pixels) -> None:
    """Print how many CPUs two pages use, and what reading them at once saves."""
    read = own(engine)
    for workers in (1, 2):
        wall, cpu = time.perf_counter(), time.process_time()
        with ThreadPoolExecutor(workers) as threads:
            list(threads.map(read, [pixels, pixels]))
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        print(f"two pages, {workers} at once   {wall:6.2f} s, {cpu / wall:.2f} CPUs", flush=True)


async def report_service(documents: int) -> None:
    """Print how many CPUs a service uses that reads so many documents, one after the other."""
    print(f"load of the machine: {os.getloadavg()[0]}")
    environ = environment(accessLogPercent=0) | {ENV_MODEL: json.dumps({"engine": "rapidocr"})}
    async with (
        serving(environ) as program,
        httpx.AsyncClient(base_url=program.url, timeout=120) as http,
    ):
        for pages in (1, 2):
            files = {"file": ("a.pdf", prose_pdf(pages))}
            (await http.post(PATH_PARSE, files=files)).raise_for_status()
            wall, cpu = time.perf_counter(), cpu_seconds(program.process.pid)
            for _ in range(documents):
                (await http.post(PATH_PARSE, files=files)).raise_for_status()
            wall = time.perf_counter() - wall
            cpu = cpu_seconds(program.process.pid) - cpu
            each = wall / documents / pages
            print(f"{documents} documents of {pages}: {each:.2f} s a page, {cpu / wall:.2f} CPUs")


def main() -> None:
    """Print both sides and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--documents", type=int, default=15)
    arguments = parser.parse_args()
    engine = RapidOcrEngine(threads=usable_cpus())
    engine.load()
    ours, theirs = Side(own(engine)), Side(plain())
    sheets = pages()
    for side in (ours, theirs):
        side.read(sheets[0][0])
    for turn in range(arguments.rounds):
        for pixels, text in sheets:
            for side in (ours, theirs) if turn % 2 else (theirs, ours):
                side.measure(pixels, text)
    ours.report("engine rapidocr")
    theirs.report("plain call of rapidocr")
    for name, ratios in (
        ("time", zip(ours.wall_seconds, theirs.wall_seconds, strict=True)),
        ("CPU time", zip(ours.cpu_seconds, theirs.cpu_seconds, strict=True)),
    ):
        ratio = statistics.median(one / other for one, other in ratios)
        print(f"{name} of a page, median of pairs: {ratio:.2f}")
    report_cores(engine, sheets[0][0])
    asyncio.run(report_service(arguments.documents))


if __name__ == "__main__":
    main()

"""Sends bad documents to a real server on the loopback and counts what becomes of them.

    PYTHONPATH=tests .venv/bin/python tests/benchmarks/malformed.py --count 2000

With `--samples`, the test files of libraries join in: unpack their source distributions
(`pip download --no-binary :all: --no-deps pillow pikepdf pypdf`) into that folder.
"""

import argparse
import asyncio
import itertools
import time
from collections.abc import Iterator
from pathlib import Path

from integration.runtime.bombardment import Toll, toll_of
from integration.runtime.processes import environment, serving
from support.mutations import Mutant, corpus

MEBIBYTE = 1024**2
SHOWN = 15
LARGEST = 30 * MEBIBYTE
ENDINGS = {
    *(".pdf", ".png", ".jpg", ".jpeg", ".webp", ".bmp", ".tif", ".tiff", ".gif", ".apng"),
    *(".jp2", ".j2k", ".jpx", ".avif", ".heic", ".dib", ".mpo"),
}
LIMITS = {
    "pageTimeoutSeconds": 3,
    "parserMemoryBytes": 512 * MEBIBYTE,
    "maxPages": 100,
    "requestTimeoutSeconds": 3600,
    "queueTimeoutSeconds": 600,
    "accessLogPercent": 0,
}


def samples(folder: Path) -> Iterator[Mutant]:
    """Yield the documents of a folder."""
    for path in sorted(folder.rglob("*")):
        if path.suffix.lower() in ENDINGS and path.is_file() and path.stat().st_size < LARGEST:
            yield Mutant(str(path.relative_to(folder)), path.read_bytes())


async def bombardment(mutants: Iterator[Mutant]) -> tuple[Toll, bool, list[str]]:
    """Return the toll, whether the server is ready afterwards, and its bad lines of log."""
    async with serving(environment(**LIMITS)) as program:
        toll = await toll_of(program, mutants)
        bad = [str(line) for line in program.log if line["level"] in {"error", "critical"}]
        return toll, await program.is_ready(), bad + program.last_words


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--samples", type=Path)
    arguments = parser.parse_args()
    more = samples(arguments.samples) if arguments.samples else iter(())
    began = time.monotonic()
    mutants = itertools.chain(corpus(arguments.count, arguments.seed), more)
    toll, is_ready, lines = asyncio.run(bombardment(mutants))
    print(f"{sum(toll.answers.values())} documents in {time.monotonic() - began:.0f} s")
    for outcome, count in toll.answers.most_common():
        print(f"  {count:5} {outcome}")
    print(f"answered by 5xx or not at all: {len(toll.failures)}")
    for name, outcome in toll.failures.items():
        print(f"  {outcome}: {name}")
    print(f"server alive and ready: {is_ready}; errors in its log: {len(lines)}")
    for line in lines:
        print(f"  {line.strip()}")
    print(f"parsers seen: {len(toll.parsers)}; most sockets of one: {toll.sockets}")
    before, after = (size / MEBIBYTE for size in toll.resident_bytes)
    print(f"memory of the server: {before:.0f} MiB before, {after:.0f} MiB after")
    print("slowest:")
    for seconds, outcome, name in sorted(toll.times, reverse=True)[:SHOWN]:
        print(f"  {seconds:6.2f} s {outcome}: {name}")


if __name__ == "__main__":
    main()

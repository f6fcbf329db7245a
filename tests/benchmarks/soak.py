"""Whether a service that is used for long grows: memory, descriptors, files.

    PYTHONPATH=tests .venv/bin/python tests/benchmarks/soak.py --engine fake --minutes 30
    PYTHONPATH=tests .venv/bin/python tests/benchmarks/soak.py --engine rapidocr --minutes 10

A real process gets mixed traffic in turns. Between two turns all clients are gone and nothing is
read: what the process and those that it started then take is one sample, so that work in hand is no
noise. Tasks are kept for a minute only, so that their number is steady. Ends with an error when
resident memory grows by 1 % per hour or more after the warm-up, when descriptors, processes or
files are left at the end, or when an answer was not the right one.
"""

import argparse
import asyncio
import json
import os
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import httpx
from docparser_api.names import ENV_DATA, ENV_MODEL, PATH_TASKS
from integration.runtime.processes import Program, environment, serving
from support.process_trees import Taken, taken
from support.slopes import Slope, theil_sen
from support.soak_traffic import LIMITS, Traffic, many_documents, short_documents

MEBIBYTE = 1024**2
MOST_PERCENT_PER_HOUR = 1.0
TURN_SECONDS = 12.0
REST_SECONDS = 20.0
"""Longest wait until all work has ended."""
STEADY_LOOKS = 4
LOOK_SECONDS = 0.25
RETENTION_SECONDS = 60
EXPIRY_SECONDS = 30.0
"""Longest wait, beyond the retention, until results are deleted."""


@dataclass(frozen=True)
class Sample:
    """What is taken at rest."""

    hours: float
    taken: Taken
    is_steady: bool


@dataclass
class Soak:
    """A service, its clients, and what was seen.

    Attributes:
        home: holds the service's data and its temporary files.
    """

    program: Program
    traffic: Traffic
    home: Path
    clients: int

    async def samples(self, minutes: float) -> list[Sample]:
        """Return a sample after each turn of this time."""
        began, found = time.monotonic(), list[Sample]()
        while time.monotonic() - began < minutes * 60:
            await self.traffic.run(self.program.url, self.clients, TURN_SECONDS)
            is_steady = await self.rest()
            here = taken(self.program.process.pid)
            found.append(Sample((time.monotonic() - began) / 3600, here, is_steady))
            if len(found) % 10 == 1:
                told(f"{found[-1].hours * 60:5.1f} min", here)
        return found

    async def rest(self) -> bool:
        """Return once no task runs and nothing changes; False if that never comes."""
        seen = list[Taken]()
        until = time.monotonic() + REST_SECONDS
        async with httpx.AsyncClient(base_url=self.program.url) as http:
            while time.monotonic() < until:
                if not await self._works(http):
                    break
                await asyncio.sleep(LOOK_SECONDS)
        while time.monotonic() < until:
            seen.append(taken(self.program.process.pid))
            last = seen[-STEADY_LOOKS:]
            if len(last) == STEADY_LOOKS and len({(s.processes, s.descriptors) for s in last}) == 1:
                return True
            await asyncio.sleep(LOOK_SECONDS)
        return False

    async def _works(self, http: httpx.AsyncClient) -> bool:
        tasks = (await http.get(PATH_TASKS, params={"limit": 100})).json()["tasks"]
        return any(task["status"] in {"queued", "running"} for task in tasks)

    def files(self) -> list[str]:
        """Return the files that lie there, those of the queue left out."""
        # Folders go while they are looked at.
        return sorted(
            str((Path(folder) / name).relative_to(self.home))
            for folder, _, names in os.walk(self.home)
            for name in names
            if not name.startswith("queue.db")
        )

    async def files_at_the_end(self) -> list[str]:
        """Return the files that are left once no result is to be kept any more."""
        for _ in range(int(RETENTION_SECONDS + EXPIRY_SECONDS)):
            if not self.files():
                break
            await asyncio.sleep(1)
        return self.files()


def told(when: str, here: Taken) -> None:
    """Print a sample."""
    print(
        f"{when}: {here.resident_bytes / MEBIBYTE:7.1f} MiB in {here.processes} processes, "
        f"{here.descriptors} descriptors",
        flush=True,
    )


def growth(samples: list[Sample]) -> Slope:
    """Print how the resident memory went, and return its slope in percent of the start an hour."""
    sizes = [(sample.hours, sample.taken.resident_bytes / MEBIBYTE) for sample in samples]
    tenth = max(3, len(sizes) // 10)
    start = statistics.median(size for _, size in sizes[:tenth])
    end = statistics.median(size for _, size in sizes[-tenth:])
    slope = theil_sen([(hours, 100 * size / start) for hours, size in sizes])
    print(
        f"{len(sizes)} samples; medians of the first and last {tenth}: {start:.2f}, {end:.2f} MiB"
    )
    print(
        f"slope {slope.value:+.2f} % per hour "
        f"(95 % between {slope.lowest:+.2f} and {slope.highest:+.2f})"
    )
    return slope


def failures(soak: Soak, samples: list[Sample], slope: Slope, files: list[str]) -> list[str]:
    """Return what is not as it should be."""
    first, last = samples[0].taken, samples[-1].taken
    found = [f"{times} times {what}" for what, times in soak.traffic.surprises.items()]
    if slope.value >= MOST_PERCENT_PER_HOUR:
        found.append(f"resident memory grows by {slope.value:.2f} % per hour")
    if last.descriptors > first.descriptors or last.processes > first.processes:
        found.append(f"left at the end: {last}; at the start of the measurement: {first}")
    if unsteady := sum(not sample.is_steady for sample in samples):
        found.append(f"{unsteady} times no rest within {REST_SECONDS:.0f} s")
    found += [f"a file is left: {name}" for name in files]
    if soak.program.last_words:
        found.append("the service wrote what is no line of its log")
    return found


async def soaked(arguments: argparse.Namespace, home: Path) -> list[str]:
    """Return what is not as it should be after all the time."""
    limits = {
        **LIMITS,
        "accessLogPercent": 0,
        "maxQueueLength": 64,
        "fake": {"pageMilliseconds": 5},
        "tasks": {"retentionSeconds": RETENTION_SECONDS},
    }
    (home / "tmp").mkdir()
    environ = environment(**limits) | {
        ENV_DATA: str(home / "data"),
        ENV_MODEL: json.dumps({"engine": arguments.engine}),
        "TMPDIR": str(home / "tmp"),
    }
    is_fake = arguments.engine == "fake"
    documents = many_documents() if is_fake else short_documents()
    traffic = Traffic(documents, pause_seconds=0.4 if is_fake else 1.0)
    async with serving(environ) as program:
        soak = Soak(program, traffic, home, clients=4 if is_fake else 2)
        await soak.samples(arguments.warm_up)
        print("warm-up ended", flush=True)
        samples = await soak.samples(arguments.minutes)
        files = await soak.files_at_the_end()
        slope = growth(samples)
        for name, times in sorted(traffic.done.items()):
            print(f"{name:18} {times:6d}")
        return failures(soak, samples, slope, files)


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--engine", choices=("fake", "rapidocr"), default="fake")
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--warm-up", type=float, default=8, help="minutes before the measurement")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="soak-") as home:
        found = asyncio.run(soaked(arguments, Path(home)))
    for failure in found:
        print("NOT AS IT SHOULD BE:", failure)
    sys.exit(bool(found))


if __name__ == "__main__":
    main()

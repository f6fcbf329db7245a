"""How fast weights are fetched and verified, against `cp` of the same bytes.

    PYTHONPATH=tests .venv/bin/python tests/benchmarks/weights.py --gib 2

Starts an S3-compatible server for files on the loopback; server and client share the machine.
"""

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docparser_api.names import ENV_MODEL
from support.eventually import eventually
from support.file_server import FileServer

MIB = 1024**2
FILES = 4
PROGRAM = (sys.executable, "-m", "docparser_runtime", "weights")


@dataclass(frozen=True)
class Bench:
    """A server with weights, and where they are fetched to."""

    server: FileServer
    work: Path
    sha256: str
    size: int

    @property
    def cache(self) -> Path:
        return self.work / "cache"

    def command(self, *arguments: str) -> subprocess.Popen[str]:
        source = {"bucket": "served", "prefix": "model", "endpoint": self.server.url}
        weights = {
            "version": "bench",
            "source": {"s3": source},
            "manifest": {"sha256": self.sha256},
        }
        environ = os.environ | {ENV_MODEL: json.dumps({"engine": "fake", "weights": weights})}
        return subprocess.Popen(
            [*PROGRAM, f"--cache={self.cache}", *arguments],
            env=environ,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ended(self, *arguments: str) -> dict[str, Any]:
        output, _ = self.command(*arguments).communicate()
        ending: dict[str, Any] = json.loads(output)
        assert ending["code"] == "Verified", ending
        return ending

    def empty(self) -> None:
        shutil.rmtree(self.cache, ignore_errors=True)
        self.cache.mkdir()
        self.server.sent.clear()

    def report(self, name: str, work: Callable[[], object]) -> None:
        began = time.monotonic()
        work()
        seconds = time.monotonic() - began
        print(f"{name:34} {seconds:7.2f} s {self.size / MIB / seconds:8.0f} MiB/s", flush=True)


def main() -> None:
    """Print one line for each measurement."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gib", type=float, default=2)
    parser.add_argument("--directory", type=Path, help="file system to measure on")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=arguments.directory) as folder:
        work = Path(folder)
        size = int(arguments.gib * 1024) * MIB
        sha256 = make(work / "served" / "model", size)
        with FileServer(work).running() as server:
            measure(Bench(server, work, sha256, size))


def make(root: Path, size: int) -> str:
    """Write random weights and their manifest; return its digest."""
    root.mkdir(parents=True)
    for number in range(FILES):
        with (root / f"model-{number}.safetensors").open("wb") as file:
            for _ in range(size // FILES // MIB):
                file.write(os.urandom(MIB))
    command = [*PROGRAM, "manifest", str(root)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout[:64]


def measure(bench: Bench) -> None:
    """Copy, fetch, reuse, verify, kill and resume."""
    served, copy = bench.work / "served" / "model", bench.work / "copy"
    bench.report("cp", lambda: subprocess.run(["cp", "-r", served, copy], check=True))
    shutil.rmtree(copy)
    both = ["sh", "-c", 'cp -r "$1" "$2" && sync "$2"/*', "sh", str(served), str(copy)]
    bench.report("cp and sync", lambda: subprocess.run(both, check=True))
    shutil.rmtree(copy)
    bench.empty()
    bench.report("fetch (with digests and sync)", lambda: bench.ended("fetch"))
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    print(f"{'  most memory of a process':34} {peak / 1024:7.0f} MiB")
    bench.report("second process reuses", lambda: bench.ended("fetch"))
    bench.report("verify", lambda: bench.ended("verify"))
    bench.empty()
    bench.report("fetch, killed in the middle", lambda: kill_half_way(bench))
    before = bench.server.total_sent
    bench.report("resume", lambda: bench.ended("fetch"))
    again = bench.server.total_sent
    parts = f"{before / MIB:.0f} + {(again - before) / MIB:.0f} MiB"
    print(f"{'  sent before and after the kill':34} {parts}")
    print(f"{'  sent more than once':34} {(again - bench.size) / MIB:.1f} MiB")


def kill_half_way(bench: Bench) -> None:
    """Start a fetch and kill it once half of the bytes were sent."""
    with bench.command("fetch") as process:
        eventually(lambda: bench.server.total_sent, lambda sent: sent > bench.size / 2, seconds=600)
        process.kill()


if __name__ == "__main__":
    main()

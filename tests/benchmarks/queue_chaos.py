"""Thousands of jobs while workers, submitters and the database are killed; prints the count.

PYTHONPATH=tests .venv/bin/python tests/benchmarks/queue_chaos.py --database postgresql
"""

import argparse
import dataclasses
import shutil
import sys
import tempfile
import time
from pathlib import Path

from support.postgres import running_postgres
from support.queue_chaos import Chaos, Plan
from support.queues import QueueBench


def on_postgres(plan: Plan, directory: Path) -> bool:
    """Return whether a run on a PostgreSQL of its own was sound."""
    home = directory / "server"
    home.mkdir()
    with running_postgres(home) as server:
        bench = QueueBench(server.new_database("chaos"))
        return is_sound(plan, Chaos(plan, bench, directory / "record", server))


def on_sqlite(plan: Plan, directory: Path) -> bool:
    """Return whether a run on a file was sound."""
    bench = QueueBench(f"sqlite:///{directory}/queue.db")
    return is_sound(plan, Chaos(plan, bench, directory / "record", None))


def is_sound(plan: Plan, chaos: Chaos) -> bool:
    """Run it, print what happened and what came of it, and return whether that is sound."""
    began = time.monotonic()
    counted = chaos.run()
    rows = {**chaos.troubles, **dataclasses.asdict(counted), "seconds": time.monotonic() - began}
    for name, value in rows.items():
        print(f"{name:24} {value:>8.0f}")
    return counted.is_sound(plan.window)


def main() -> None:
    """Run it and print the table; fail when a promise was broken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--database", choices=["postgresql", "sqlite"], default="postgresql")
    parser.add_argument("--jobs", type=int, default=5000)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--restarts", type=int, default=10)
    parser.add_argument("--window", type=int, default=4, help="pages that are saved together")
    parser.add_argument("--directory", type=Path, help="where the data lie, on a disk to be tried")
    options = parser.parse_args()
    plan = Plan(options.jobs, options.kills, options.restarts, window=options.window)
    directory = Path(tempfile.mkdtemp(prefix="queue-chaos-", dir=options.directory))
    directory.chmod(0o755)
    try:
        run = on_postgres if options.database == "postgresql" else on_sqlite
        sound = run(plan, directory)
    finally:
        shutil.rmtree(directory)
    sys.exit(not sound)


if __name__ == "__main__":
    main()

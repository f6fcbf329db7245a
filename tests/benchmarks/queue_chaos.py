"""Thousands of jobs while workers, submitters and the database are killed; prints the count.

PYTHONPATH=tests .venv/bin/python tests/benchmarks/queue_chaos.py --database postgresql
"""

import argparse
import dataclasses
import shutil
import sys
import tempfile
from pathlib import Path

from support.postgres import running_postgres
from support.queue_chaos import Chaos, Count, Plan
from support.queues import QueueBench


def on_postgres(plan: Plan, directory: Path) -> Count:
    """Return the count of a run on a PostgreSQL of its own."""
    home = directory / "server"
    home.mkdir()
    with running_postgres(home) as server:
        bench = QueueBench(server.new_database("chaos"))
        return Chaos(plan, bench, directory / "record", server).run()


def on_sqlite(plan: Plan, directory: Path) -> Count:
    """Return the count of a run on a file."""
    plan = dataclasses.replace(plan, restarts=0)
    bench = QueueBench(f"sqlite:///{directory}/queue.db")
    return Chaos(plan, bench, directory / "record", None).run()


def main() -> None:
    """Run it and print the table; fail when a promise was broken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--database", choices=["postgresql", "sqlite"], default="postgresql")
    parser.add_argument("--jobs", type=int, default=5000)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--restarts", type=int, default=10)
    parser.add_argument("--directory", type=Path, help="where the data lie, on a disk to be tried")
    options = parser.parse_args()
    plan = Plan(options.jobs, options.kills, options.restarts)
    directory = Path(tempfile.mkdtemp(prefix="queue-chaos-", dir=options.directory))
    directory.chmod(0o755)
    try:
        run = on_postgres if options.database == "postgresql" else on_sqlite
        counted = run(plan, directory)
    finally:
        shutil.rmtree(directory)
    for name, value in dataclasses.asdict(counted).items():
        print(f"{name:16} {value:>10.0f}")
    sys.exit(not counted.is_sound)


if __name__ == "__main__":
    main()

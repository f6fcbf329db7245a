"""A few hundred jobs in a storm. `tests/benchmarks/queue_chaos.py` has thousands of them."""

from pathlib import Path

from support.postgres import PostgresServer
from support.queue_chaos import Chaos, Plan
from support.queues import QueueBench

PATIENT = 20
"""Crashes that a job may meet. So many kills of so few jobs hit some of them thrice in a row."""


def test_postgresql_loses_nothing(
    postgres: PostgresServer, postgres_bench: QueueBench, tmp_path: Path
) -> None:
    plan = Plan(jobs=200, kills=15, restarts=1, max_crashes=PATIENT, longest_pause=2.0)
    counted = Chaos(plan, postgres_bench, tmp_path / "record", postgres).run()
    print(counted)
    assert counted.is_sound(plan.window)
    assert counted.done == 200


def test_sqlite_loses_nothing(sqlite_bench: QueueBench, tmp_path: Path) -> None:
    plan = Plan(jobs=100, kills=10, restarts=1, max_crashes=PATIENT, longest_pause=2.0)
    counted = Chaos(plan, sqlite_bench, tmp_path / "record", None).run()
    print(counted)
    assert counted.is_sound(plan.window)
    assert counted.done == 100

import itertools
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.postgres import PostgresServer, running_postgres
from support.queues import QueueBench

MEMORY = Path("/dev/shm")  # noqa: S108 (a directory of our own is made in it)
"""Where a sync costs nothing. What survives a killed process is the same as on a disk."""
_numbers = itertools.count()


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A PostgreSQL that runs; who stops it starts it again."""
    memory = MEMORY if MEMORY.is_dir() else None
    directory = Path(tempfile.mkdtemp(prefix="queue-postgres-", dir=memory))
    try:
        with running_postgres(directory) as server:
            yield server
    finally:
        shutil.rmtree(directory)


@pytest.fixture
def postgres_bench(postgres: PostgresServer) -> QueueBench:
    """An empty queue in a database of its own."""
    return QueueBench(postgres.new_database(f"queue{next(_numbers)}"))


@pytest.fixture
def sqlite_bench(tmp_path: Path) -> QueueBench:
    """An empty queue in a file of its own, on a real disk."""
    return QueueBench(f"sqlite:///{tmp_path}/queue.db")


@pytest.fixture(params=["sqlite", "postgresql"])
def bench(request: pytest.FixtureRequest) -> QueueBench:
    """Each of the two."""
    name = "sqlite_bench" if request.param == "sqlite" else "postgres_bench"
    found = request.getfixturevalue(name)
    assert isinstance(found, QueueBench)
    return found

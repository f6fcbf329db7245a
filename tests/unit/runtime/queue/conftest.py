import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from docparser_runtime.queue.migrating import migrate
from sqlalchemy import create_engine
from support.queues import QueueBench

MEMORY = Path("/dev/shm")  # noqa: S108 (a directory of our own is made in it)
"""Where a sync costs nothing: these tests are about rules, not about disks."""


@pytest.fixture(scope="session")
def made_tables() -> Iterator[Path]:
    """Return a file with the tables of the queue, in a directory in memory."""
    directory = tempfile.mkdtemp(prefix="queue-", dir=MEMORY if MEMORY.is_dir() else None)
    made = Path(directory) / "made.db"
    engine = create_engine(f"sqlite:///{made}")
    with engine.begin() as connection:
        migrate(connection)
    engine.dispose()
    yield made
    shutil.rmtree(directory)


@pytest.fixture
def file(made_tables: Path) -> Iterator[Path]:
    """Return the file of an empty queue."""
    directory = Path(tempfile.mkdtemp(dir=made_tables.parent))
    yield Path(shutil.copy(made_tables, directory / "queue.db"))
    shutil.rmtree(directory)


@pytest.fixture
def bench(file: Path) -> QueueBench:
    """Return an empty queue in that file."""
    return QueueBench(f"sqlite:///{file}")

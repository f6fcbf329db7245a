"""Gateways and workers as processes of their own, around a PostgreSQL and a directory."""

import itertools
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest
from docparser_api.names import ENV_DATABASE_URL, ENV_STORE_URL
from integration.runtime.processes import Program, environment
from integration.runtime.tasks.client import TaskClient
from support.postgres import PostgresServer, running_postgres

_numbers = itertools.count()


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A PostgreSQL that runs; who stops it starts it again."""
    with (
        tempfile.TemporaryDirectory(prefix="tasks-postgres-") as directory,
        running_postgres(Path(directory)) as server,
    ):
        yield server


class Cluster:
    """What all processes of one service share."""

    def __init__(self, database_url: str, store: Path) -> None:
        self._shared = {ENV_DATABASE_URL: database_url, ENV_STORE_URL: store.as_uri()}

    def environment(self, **limits: Any) -> dict[str, str]:
        """Return the environment of one of its processes."""
        tasks = {"leaseSeconds": 2, **limits.pop("tasks", {})}
        return environment(**limits, tasks=tasks) | self._shared


@pytest.fixture
def cluster(postgres: PostgresServer, tmp_path: Path) -> Cluster:
    """An empty queue and an empty store."""
    store = tmp_path / "objects"
    store.mkdir()
    return Cluster(postgres.new_database(f"tasks{next(_numbers)}"), store)


def slowly(milliseconds: int, **others: Any) -> dict[str, Any]:
    """Return limits with which each page takes this time."""
    return {"fake": {"pageMilliseconds": milliseconds}, **others}


Connect = Callable[[Program], TaskClient]


@pytest.fixture
async def connect() -> AsyncIterator[Connect]:
    """Yield a function that returns a client of a process; clients are closed at the end."""
    async with AsyncExitStack() as stack:

        def connected(program: Program) -> TaskClient:
            http = httpx.AsyncClient(base_url=program.url, timeout=60)
            stack.push_async_callback(http.aclose)
            return TaskClient(http)

        yield connected

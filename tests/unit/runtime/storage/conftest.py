"""Both kinds of store, opened as a service opens them."""

import io
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from docparser_api.runtime import TasksConfig
from docparser_runtime import logs
from docparser_runtime.storage.access import Access
from docparser_runtime.storage.base import ObjectStore
from docparser_runtime.storage.opening import open_store
from docparser_runtime.weights.credentials import Credentials
from support.s3_server import S3Server


@pytest.fixture
def stream() -> io.StringIO:
    """Return what the log is written to."""
    return io.StringIO()


@pytest.fixture
def log(stream: io.StringIO) -> logs.Log:
    return logs.create(stream, "debug")


@pytest.fixture
def server() -> Iterator[S3Server]:
    with S3Server().running() as running:
        yield running


def access_to(server: S3Server) -> Access:
    keys = Credentials(server.keys.access_key_id, server.keys.secret_access_key)
    return Access(server.url, credentials=keys, link_seconds=300)


@pytest.fixture
async def bucket(server: S3Server, log: logs.Log) -> AsyncIterator[ObjectStore]:
    url = f"s3://{server.bucket}/deep/er"
    store = await open_store(url, access_to(server), TasksConfig(), log)
    yield store
    await store.close()


@pytest.fixture
async def directory(tmp_path: Path, log: logs.Log) -> AsyncIterator[ObjectStore]:
    config = TasksConfig(max_store_bytes=64 * 1024**2)
    store = await open_store(f"file://{tmp_path}/store", Access(), config, log)
    yield store
    await store.close()


@pytest.fixture(params=["bucket", "directory"])
def store(request: pytest.FixtureRequest) -> ObjectStore:
    """Return each kind of store in turn."""
    found: ObjectStore = request.getfixturevalue(request.param)
    return found

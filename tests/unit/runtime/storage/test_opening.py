"""Addresses of stores, and what is said of those that lead nowhere."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from docparser_api.runtime import TasksConfig
from docparser_runtime.config import ConfigError
from docparser_runtime.logs import Log
from docparser_runtime.storage import access
from docparser_runtime.storage.access import Access
from docparser_runtime.storage.bucket import BucketStore
from docparser_runtime.storage.directory import DirectoryStore
from docparser_runtime.storage.opening import open_store
from docparser_runtime.weights.credentials import Credentials

KEYS = Credentials("key-id", "canary-key")


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("", "must be s3://"),
        ("/data", "must be s3://"),
        ("http://store/x", "must be s3://"),
        ("gs://bucket/x", "must be s3://"),
        ("file://data/x", "absolute path"),
        ("file:data", "absolute path"),
        ("file:///data%00", "absolute path"),
        ("s3://", "names no bucket"),
        ("s3:///prefix", "names no bucket"),
        ("s3://Bucket", "names no bucket"),
        ("s3://bucket/a b", "prefix"),
        ("s3://bucket/../x", "prefix"),
        ("s3://key:canary@bucket/x", "keys belong into DOCPARSER_STORE_"),
        ("s3://bucket/x?key=canary", "keys belong into DOCPARSER_STORE_"),
        ("s3://bucket/x#canary", "keys belong into DOCPARSER_STORE_"),
        ("file:///proc/none/such", "/proc/none/such cannot be used"),
        ("file:///dev/null/store", "Not a directory"),
        ("s3://[canary", "is no address"),
    ],
)
async def test_a_wrong_address_is_named(url: str, said: str, log: Log) -> None:
    with pytest.raises(ConfigError, match="DOCPARSER_STORE_URL") as error:
        await open_store(url, Access(), TasksConfig(), log)
    assert said in str(error.value)
    assert "canary" not in str(error.value)


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (Access("ftp://store"), "ENDPOINT must be"),
        (Access("store:9000"), "ENDPOINT must be"),
        (Access("http://key:canary@store"), "ENDPOINT must be"),
        (Access(credentials=replace(KEYS, secret_access_key=None)), "belong together"),
        (Access(credentials=replace(KEYS, access_key_id=None)), "belong together"),
    ],
)
async def test_a_wrong_access_is_named(found: Access, said: str, log: Log) -> None:
    with pytest.raises(ConfigError, match="DOCPARSER_STORE_") as error:
        await open_store("s3://bucket", found, TasksConfig(), log)
    assert said in str(error.value)
    assert "canary" not in str(error.value)


async def test_a_bucket(log: Log) -> None:
    found = Access("http://127.0.0.1:1", credentials=KEYS)
    store = await open_store("s3://bucket/pre/fix/", found, TasksConfig(), log)
    assert isinstance(store, BucketStore)


async def test_a_bucket_without_keys_has_no_presigned_addresses(log: Log) -> None:
    store = await open_store("s3://bucket", Access("http://127.0.0.1:1"), TasksConfig(), log)
    assert await store.presigned_url("job/result/0", timedelta(minutes=1)) is None


async def test_a_directory_is_made(tmp_path: Path, log: Log) -> None:
    url = f"file://localhost{tmp_path}/deep/er%20store"
    store = await open_store(url, Access(), TasksConfig(), log)
    assert isinstance(store, DirectoryStore)
    await store.put("job/upload/0", b"text")
    assert (tmp_path / "deep" / "er store" / "job" / "upload" / "0").read_bytes() == b"text"
    await store.close()


def test_access_is_read_from_the_environment() -> None:
    environ = {
        "DOCPARSER_STORE_ENDPOINT": " http://store:9000\n",
        "DOCPARSER_STORE_REGION": "eu-1",
        "DOCPARSER_STORE_ACCESS_KEY_ID": "id",
        "DOCPARSER_STORE_SECRET_ACCESS_KEY": "canary\n",
        "DOCPARSER_STORE_SESSION_TOKEN": "session",
    }
    assert set(environ) == access.VARIABLES
    found = access.read(environ)
    keys = Credentials("id", "canary", "session")
    assert found == Access("http://store:9000", "eu-1", keys)
    assert "canary" not in repr(found)
    assert access.read({}) == Access(None, "us-east-1", Credentials())

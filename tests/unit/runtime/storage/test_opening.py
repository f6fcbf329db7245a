"""Addresses of stores, and what is said of those that lead nowhere."""

import io
from dataclasses import replace
from pathlib import Path

import pytest
from docparser_api.runtime import TasksConfig
from docparser_runtime.config import ConfigError
from docparser_runtime.logs import Log
from docparser_runtime.s3_access import Bucket
from docparser_runtime.storage import access
from docparser_runtime.storage.access import Access
from docparser_runtime.storage.bucket import BucketStore
from docparser_runtime.storage.directory import DirectoryStore
from docparser_runtime.storage.failures import Failures
from docparser_runtime.storage.opening import open_store
from docparser_runtime.task_errors import StorageUnavailable
from docparser_runtime.weights.credentials import Credentials
from support.s3_server import S3Server
from unit.runtime.storage.conftest import access_to

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


async def test_a_bucket(server: S3Server, log: Log) -> None:
    store = await open_store("s3://store/pre/fix/", access_to(server), TasksConfig(), log)
    assert isinstance(store, BucketStore)


@pytest.mark.parametrize("url", ["s3://other", "s3://store"])
async def test_a_bucket_that_cannot_be_used_is_found_at_once(
    url: str, server: S3Server, log: Log, stream: io.StringIO
) -> None:
    found = replace(access_to(server), credentials=KEYS)
    with pytest.raises(StorageUnavailable):
        await open_store(url, found, TasksConfig(), log)
    assert "check" in stream.getvalue()
    assert "canary" not in stream.getvalue()


async def test_a_bucket_gives_links_where_it_has_keys_and_is_told_to(log: Log) -> None:
    for keys, seconds, given in ((Credentials(), 60, False), (KEYS, None, False), (KEYS, 60, True)):
        bucket = Bucket("store", "", "http://127.0.0.1:1", "any", keys)
        store = BucketStore(bucket, Failures(log), link_seconds=seconds)
        assert (await store.link("job/result/0") is not None) == given


@pytest.mark.parametrize("text", ["0", "-1", "3601", "1m", "1.5", "٣"])
def test_a_time_for_links_that_is_none(text: str) -> None:
    with pytest.raises(ConfigError, match="DOCPARSER_STORE_LINK_SECONDS"):
        access.read({"DOCPARSER_STORE_LINK_SECONDS": text})


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
        "DOCPARSER_STORE_LINK_SECONDS": "3600",
    }
    assert set(environ) == access.VARIABLES
    found = access.read(environ)
    keys = Credentials("id", "canary", "session")
    assert found == Access("http://store:9000", "eu-1", keys, 3600)
    assert "canary" not in repr(found)
    assert access.read({}) == Access(None, "us-east-1", Credentials(), link_seconds=None)

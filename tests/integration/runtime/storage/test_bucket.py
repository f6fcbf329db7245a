"""A bucket whose server fails, and what only a bucket has."""

import hashlib
import io
import json
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest
from docparser_runtime.logs import Log
from docparser_runtime.s3_access import Bucket, Patience
from docparser_runtime.storage.access import Access
from docparser_runtime.storage.base import ObjectDamaged, ObjectStore
from docparser_runtime.storage.bucket import PART_BYTES, BucketStore
from docparser_runtime.storage.failures import Failures
from docparser_runtime.task_errors import StorageFull, StorageUnavailable
from docparser_runtime.weights.credentials import Credentials
from support.s3_server import Call, S3Server
from unit.runtime.storage.conftest import access_to

HASTY = Patience(connect_seconds=1, read_seconds=0.2, request_seconds=1, retries=1, retry_seconds=1)
Opener = Callable[[Access, str], BucketStore]


@pytest.fixture
def opened(log: Log) -> Opener:
    """Return a function that opens a bucket with little patience."""

    def open_bucket(access: Access, bucket: str = "store") -> BucketStore:
        place = Bucket(bucket, "", access.endpoint, access.region, access.credentials)
        return BucketStore(place, Failures(log), HASTY)

    return open_bucket


@pytest.fixture
def hasty(server: S3Server, opened: Opener) -> BucketStore:
    return opened(access_to(server), "store")


def reasons(stream: io.StringIO) -> list[str]:
    lines = [json.loads(line) for line in stream.getvalue().splitlines()]
    return [line["reason"] for line in lines if line["event"].startswith("storage_")]


async def each_fails(store: ObjectStore, kind: type[Exception], tmp_path: Path) -> list[str]:
    """Try each method; return what clients would be told."""
    (tmp_path / "file").write_bytes(bytes(PART_BYTES + 1))
    attempts: list[Callable[[], object]] = [
        lambda: store.put("job/page/0", b"x"),
        lambda: store.put_file("job/page/0", tmp_path / "file"),
        lambda: store.get("job/page/0"),
        lambda: store.stream("job/page/0"),
        lambda: store.delete_prefix("job/"),
        lambda: _all(store.prefixes()),
    ]
    told = []
    for attempt in attempts:
        with pytest.raises(kind) as failure:
            await attempt()  # type: ignore[misc]
        told.append(str(failure.value))
    return told


async def _all(names: AsyncIterator[str]) -> list[str]:
    return [name async for name in names]


async def test_wrong_keys(
    server: S3Server, opened: Opener, tmp_path: Path, stream: io.StringIO
) -> None:
    access = Access(server.url, credentials=Credentials("key-id", "canary-wrong-key"))
    told = await each_fails(opened(access, "store"), StorageUnavailable, tmp_path)
    assert all("DOCPARSER_STORE_SECRET_ACCESS_KEY" in reason for reason in reasons(stream))
    assert len(reasons(stream)) == len(told)
    assert "canary" not in stream.getvalue() + "".join(told)
    assert server.calls == []


async def test_a_bucket_that_does_not_exist(
    server: S3Server, opened: Opener, tmp_path: Path, stream: io.StringIO
) -> None:
    await each_fails(opened(access_to(server), "other"), StorageUnavailable, tmp_path)
    assert set(reasons(stream)) == {"bucket other does not exist; check DOCPARSER_STORE_URL"}


@pytest.mark.parametrize("status", [500, 503, 400])
async def test_a_server_that_fails(
    server: S3Server, hasty: BucketStore, tmp_path: Path, status: int
) -> None:
    server.fault = lambda _: (status, "<Error><Code>Any</Code></Error>")
    told = await each_fails(hasty, StorageUnavailable, tmp_path)
    assert set(told) == {"The store of documents and results does not answer. Try again later."}
    assert len(server.calls) <= 2 * len(told)


async def test_nobody_listens(opened: Opener, server: S3Server, tmp_path: Path) -> None:
    with S3Server().running() as other:
        access = access_to(other)
    store = opened(access, "store")
    await each_fails(store, StorageUnavailable, tmp_path)


async def test_a_server_that_is_silent(server: S3Server, hasty: BucketStore) -> None:
    server.silent.clear()
    try:
        with pytest.raises(StorageUnavailable):
            await hasty.get("job/page/0")
        with pytest.raises(StorageUnavailable):
            await hasty.put("job/page/0", b"x")
    finally:
        server.silent.set()


@pytest.mark.parametrize(
    ("status", "text"),
    [(507, "XMinioStorageFull"), (403, "QuotaExceeded"), (507, "")],
)
async def test_a_full_server(server: S3Server, hasty: BucketStore, status: int, text: str) -> None:
    server.fault = lambda _: (status, f"<Error><Code>{text}</Code></Error>")
    with pytest.raises(StorageFull):
        await hasty.put("job/page/0", b"x")


async def test_a_failure_that_passes_is_not_seen(server: S3Server, bucket: ObjectStore) -> None:
    left = [503, 500]
    server.fault = lambda _: (left.pop(), "") if left else None
    await bucket.put("job/page/0", b"content")
    assert await bucket.get("job/page/0") == b"content"


async def test_an_upload_whose_last_part_fails_leaves_nothing(
    server: S3Server, hasty: BucketStore, tmp_path: Path
) -> None:
    def fault(call: Call) -> tuple[int, str] | None:
        return (500, "") if call.query.get("partNumber") == "3" else None

    server.fault = fault
    (tmp_path / "file").write_bytes(bytes(2 * PART_BYTES + 1))
    with pytest.raises(StorageUnavailable):
        await hasty.put_file("job/upload/0", tmp_path / "file")
    assert server.objects == {}
    assert server.uploads == {}


async def test_objects_lie_below_the_prefix(server: S3Server, bucket: ObjectStore) -> None:
    server.objects["job/page/0"] = b"somebody else's"
    await bucket.put("job/page/0", b"ours")
    assert server.objects["deep/er/job/page/0"] == b"ours"
    await bucket.delete_prefix("job/")
    assert server.objects == {"job/page/0": b"somebody else's"}


async def test_more_objects_than_one_answer_lists(server: S3Server, bucket: ObjectStore) -> None:
    for number in range(2100):
        server.objects[f"deep/er/job-{number}/upload/0"] = b""
        server.objects[f"deep/er/big/page/{number}"] = b""
    assert len(await _all(bucket.prefixes())) == 2101
    await bucket.delete_prefix("big/")
    assert len(server.objects) == 2100


async def test_a_link_needs_no_keys(server: S3Server, bucket: ObjectStore) -> None:
    await bucket.put("job/result/0.json", b"{}")
    link = await bucket.link("job/result/0.json")
    assert link is not None
    url = link.url
    assert "X-Amz-Expires=300&" in url
    assert timedelta(seconds=290) < link.expires_at - datetime.now(UTC) <= timedelta(seconds=300)
    assert server.keys.secret_access_key not in url
    assert url not in repr(link)
    async with httpx.AsyncClient(trust_env=False) as client:
        answer = await client.get(url)
        forged = await client.get(url.replace("0.json", "1.json"))
    assert (answer.status_code, answer.content) == (200, b"{}")
    assert forged.status_code == 403


async def test_damage_of_a_large_object_is_found(server: S3Server, bucket: ObjectStore) -> None:
    data = bytes(PART_BYTES + 10)
    stored = await bucket.put("job/result/0", data)
    assert stored.sha256 == hashlib.sha256(data).hexdigest()
    streamed = await bucket.stream("job/result/0", stored.sha256)
    assert sum([len(piece) async for piece in streamed]) == len(data)
    server.objects["deep/er/job/result/0"] = data[:-1] + b"x"
    with pytest.raises(ObjectDamaged):
        await bucket.stream("job/result/0", stored.sha256)
    with pytest.raises(ObjectDamaged):
        await bucket.get("job/result/0", stored.sha256)

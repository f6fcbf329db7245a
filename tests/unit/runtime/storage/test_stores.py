"""What both kinds of store promise."""

import asyncio
import hashlib
import random
from pathlib import Path

import pytest
from docparser_runtime.storage.base import ObjectDamaged, ObjectMissing, ObjectStore, Stored
from docparser_runtime.storage.object_names import InvalidName

SIZES = [0, 1, 1024**2, 8 * 1024**2 + 17]
"""Bytes; the last is written to a bucket in parts."""


def content(size: int, seed: int = 0) -> bytes:
    return random.Random(seed).randbytes(size)  # noqa: S311 (content, no secret)


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


async def streamed(store: ObjectStore, name: str, digest: str | None = None) -> bytes:
    return b"".join([piece async for piece in await store.stream(name, digest)])


async def prefixes(store: ObjectStore) -> set[str]:
    return {prefix async for prefix in store.prefixes()}


@pytest.mark.parametrize("size", SIZES[:-1])
async def test_what_was_written_is_read(store: ObjectStore, size: int) -> None:
    data = content(size)
    stored = await store.put("job-1/upload/0.pdf", data)
    assert stored == Stored("job-1/upload/0.pdf", sha256(data), size)
    assert await store.get(stored.name) == data
    assert await store.get(stored.name, stored.sha256) == data
    assert await streamed(store, stored.name) == data
    assert await streamed(store, stored.name, stored.sha256) == data


@pytest.mark.parametrize("size", SIZES)
async def test_a_file_is_written(store: ObjectStore, tmp_path: Path, size: int) -> None:
    data = content(size)
    (tmp_path / "upload").write_bytes(data)
    stored = await store.put_file("job_1/upload/0", tmp_path / "upload")
    assert stored == Stored("job_1/upload/0", sha256(data), size)
    assert await store.get("job_1/upload/0") == data
    assert (tmp_path / "upload").read_bytes() == data


async def test_a_file_that_is_not_there_is_the_callers_fault(
    store: ObjectStore, tmp_path: Path
) -> None:
    with pytest.raises(FileNotFoundError):
        await store.put_file("job/upload/0", tmp_path / "nothing")


@pytest.mark.parametrize("name", ["job/none", "none/at/all", "job/page/1/deeper", "job/page"])
async def test_a_missing_object_is_missing(store: ObjectStore, name: str) -> None:
    await store.put("job/page/1", b"one")
    with pytest.raises(ObjectMissing):
        await store.get(name)
    with pytest.raises(ObjectMissing):
        await store.stream(name)
    with pytest.raises(ObjectMissing):
        await store.stream(name, sha256(b""))


async def test_another_digest_means_damage(store: ObjectStore) -> None:
    await store.put("job/page/1", b"what is there")
    with pytest.raises(ObjectDamaged):
        await store.get("job/page/1", sha256(b"what was written"))
    with pytest.raises(ObjectDamaged):
        await store.stream("job/page/1", sha256(b"what was written"))


async def test_a_name_that_is_written_again_holds_the_new_content(store: ObjectStore) -> None:
    await store.put("job/page/1", b"long and old")
    stored = await store.put("job/page/1", b"new")
    assert await store.get("job/page/1", stored.sha256) == b"new"


async def test_writers_of_one_name_leave_one_whole_object(store: ObjectStore) -> None:
    written = [content(300_000, seed) for seed in range(8)]
    stored = await asyncio.gather(*(store.put("job/page/1", data) for data in written))
    assert await store.get("job/page/1") in written
    assert [one.sha256 for one in stored] == [sha256(data) for data in written]


async def test_many_objects_at_once(store: ObjectStore) -> None:
    names = [f"job-{number % 5}/page/{number}" for number in range(40)]
    await asyncio.gather(*(store.put(name, name.encode()) for name in names))
    found = await asyncio.gather(*(store.get(name) for name in names))
    assert found == [name.encode() for name in names]
    assert await prefixes(store) == {f"job-{number}" for number in range(5)}


async def test_a_prefix_is_deleted_and_nothing_beside_it(store: ObjectStore) -> None:
    for name in ["job/upload/0", "job/page/0", "job/page/1", "job1/upload/0", "jo/b"]:
        await store.put(name, b"content")
    await store.delete_prefix("job/page/")
    assert await store.get("job/upload/0") == b"content"
    with pytest.raises(ObjectMissing):
        await store.get("job/page/0")
    await store.delete_prefix("job/")
    await store.delete_prefix("job/")
    await store.delete_prefix("never/there/")
    assert await prefixes(store) == {"job1", "jo"}


async def test_an_empty_store_has_no_prefixes(store: ObjectStore) -> None:
    assert await prefixes(store) == set()


async def test_room_is_there(store: ObjectStore) -> None:
    await store.check_room(1024**2)


async def test_other_names_are_refused_by_every_method(store: ObjectStore, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x")
    for name in ("../outside", "a/../../b", "/a/b", ".partial/b", "alone"):
        for attempt in (
            store.put(name, b"x"),
            store.put_file(name, tmp_path / "file"),
            store.get(name),
            store.stream(name),
            store.link(name),
        ):
            with pytest.raises(InvalidName):
                await attempt
    await store.put("a/b", b"kept")
    for prefix in ("", "a", "../", "a/../", ".partial/"):
        with pytest.raises(InvalidName):
            await store.delete_prefix(prefix)
    assert await prefixes(store) == {"a"}
